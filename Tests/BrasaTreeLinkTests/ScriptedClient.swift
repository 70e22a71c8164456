import BrasaTree
import BrasaTreeSync
import BrasaTreeWire
import Testing

@testable import BrasaTreeLink

/// A client whose network is the test: what it sends is read as a server would, what it is told is written as one would.
struct ScriptedClient {
    var client: TreeClient
    /// Milliseconds on both clocks.
    var time: Int64 = 1_000
    /// Requests since they were last looked at, by their numbers.
    var requests: [TreeRequest] = []
    /// Other frames.
    var frames: [String] = []
    var connects: [LinkAddress] = []
    var socket = 0
    var disconnects = 0
    var fetches: [Bool] = []
    var fetch = 0
    var events: [String] = []
    var answers: [TreeCall: TreeAnswer] = [:]
    var ended: [TransactionEnd] = []
    var stored: [StoredChange] = []
    private var joiner = FrameJoiner(messageBytesMax: 16 << 20)

    init(isStored: Bool = false, _ change: (inout LinkConfiguration) -> Void = { _ in }) {
        var configuration = LinkConfiguration(host: "first.example")
        configuration.chance = { 0.5 }
        change(&configuration)
        self.client = TreeClient(configuration, isStored: isStored)
    }

    var moment: TreeMoment { TreeMoment(uptime: .milliseconds(self.time), milliseconds: self.time) }

    @discardableResult
    mutating func step<Result>(_ body: (inout TreeClient, TreeMoment) -> (Result, [ClientOutput])) throws -> Result {
        let (result, outputs) = body(&self.client, self.moment)
        try self.take(outputs)
        return result
    }

    mutating func step(_ body: (inout TreeClient, TreeMoment) -> [ClientOutput]) throws {
        try self.take(body(&self.client, self.moment))
    }

    private mutating func take(_ outputs: [ClientOutput]) throws {
        for output in outputs {
            switch output {
            case .socket(.connect(let address, let socket)):
                self.connects.append(address)
                self.socket = socket
                self.joiner = FrameJoiner(messageBytesMax: 16 << 20)
            case .socket(.send(let frame)): try self.read(frame)
            case .socket(.disconnect): self.disconnects += 1
            case .socket(.fetchToken(let isRefresh, let fetch)):
                self.fetches.append(isRefresh)
                self.fetch = fetch
            case .socket(.log): break
            case .store(let changes): self.stored += changes
            case .event(let event, let source):
                self.events.append("\(source == .info ? ".info" : "")\(event.path) \(Self.text(event.kind))")
            case .answered(let call, let answer): self.answers[call] = answer
            case .transactionEnded(let end): self.ended.append(end)
            }
        }
    }

    private static func text(_ kind: TreeSyncEvent.Kind) -> String {
        switch kind {
        case .value(let node): "= " + String(decoding: node.text(.export), as: UTF8.self)
        case .child(let event): "\(event.kind) \(event.key)"
        case .refused(let status): status
        }
    }

    private mutating func read(_ frame: [UInt8]) throws {
        guard let message = try self.joiner.join(frame) else { return }
        switch try ClientMessage(message) {
        case .request(let request): self.requests.append(request)
        case .ping, .control: self.frames.append(String(decoding: message, as: UTF8.self))
        }
    }

    // MARK: The server's side

    mutating func say(_ message: ServerMessage) throws {
        for frame in FrameSplitter.split(message.text) {
            try self.step { [socket] in $0.receive(frame, socket: socket, $1) }
        }
    }

    mutating func hello(host: String = "first.example", session: String = "s1", ahead: Int64 = 0) throws {
        try self.say(.hello(milliseconds: self.time + ahead, host: host, session: session))
    }

    /// Connected and open, the statistics aside.
    mutating func open() throws {
        try self.step { $0.goOnline($1) }
        try self.hello()
        self.requests.removeAll()
    }

    /// Connected and open by a token that a provider gave, on its first question.
    static func connected(token: String) throws -> ScriptedClient {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        try script.step { $0.tokenFetched(.success(token), fetch: 1, $1) }
        try script.hello()
        try script.respond(#require(script.requests.last))
        script.requests.removeAll()
        return script
    }

    mutating func close() throws {
        try self.step { [socket] in $0.closed(socket: socket, reason: "gone", $1) }
    }

    /// Until the next thing is due.
    mutating func waitForDeadline() throws {
        let deadline = try #require(self.client.deadline)
        self.time = max(self.time, Int64((deadline / .milliseconds(1)).rounded(.up)))
        try self.step { $0.tick($1) }
    }

    mutating func respond(_ request: TreeRequest, _ status: TreeStatus = .ok, _ data: ResponseData = .empty) throws {
        try self.say(.response(number: request.number, status, data))
    }

    /// What was asked, as lines.
    mutating func takeRequests() throws -> [String] {
        defer { self.requests.removeAll() }
        return try self.requests.map { try $0.action.get().line }
    }

    // MARK: The user's side

    mutating func listen(_ path: String, _ query: TreeQuery = .all, of source: TreeListener.Source = .database) throws
        -> TreeListener
    {
        let path = try TreePath(path)
        return try self.step { $0.listen(query, at: path, of: source, $1) }
    }

    mutating func set(_ path: String, _ value: JSONValue) throws -> TreeCall {
        let path = try TreePath(path)
        let write = try TreeWrite.set(TreeTemplate(value), at: TreeLocation(path))
        return try self.step { $0.write(write, $1) }
    }

    mutating func takeEvents() -> [String] {
        defer { self.events = [] }
        return self.events
    }
}

extension TreeAction {
    /// `q /a #hash`, `p /a`, and so on.
    fileprivate var line: String {
        switch self {
        case .stats: "s"
        case .listen(let target, let tag, let hash, let compound):
            "q \(target.path)" + (tag.map { " t\($0)" } ?? "") + (hash == "" ? "" : " #\(hash)")
                + (compound == nil ? "" : " ch")
        case .unlisten(let target, _): "n \(target.path)"
        case .put(let write, let hash): "p \(write.path)" + (hash.map { " #\($0)" } ?? "")
        case .merge(let write, _): "m \(write.path)"
        case .get(let target): "g \(target.path)"
        case .onDisconnectPut(let write): "o \(write.path)"
        case .onDisconnectMerge(let write): "om \(write.path)"
        case .onDisconnectCancel(let place): "oc \(place)"
        case .authenticate(let credential): "\(credential.isAdministrator ? "gauth" : "auth") \(credential.token)"
        case .unauthenticate: "unauth"
        case .appCheck, .unAppCheck: "appcheck"
        }
    }
}

func data(_ path: String, _ value: JSONValue, tag: Int64? = nil) throws -> ServerMessage {
    .push(.data(TreeLocation(try TreePath(path)), try TreeTemplate(value).node, tag: tag))
}
