import BrasaHTTP2
import BrasaIdentity
import BrasaPlatform
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import BrasaTreeWatch
import BrasaTreeWire
import NIOCore
import NIOWebSocket

/// What one client and the server have to say to each other, whatever carries it: frames in, frames out, and in between a
/// session with a tree. On its event loop only; unchecked, because answers carry it there.
package final class TreeConversation: TreeListener, @unchecked Sendable {
    struct Request {
        let ticket: TreeRequest.Ticket
        let action: TreeAction
        /// Of its message.
        let bytes: Int
    }

    /// How the pushes of a listen are marked.
    struct Tag: Hashable {
        let value: Int64?
    }

    private static let tickInterval: TimeAmount = .seconds(5)
    /// Of messages of requests that wait or are not answered; above it nothing is read.
    static let requestBytesMax = 1 << 20
    /// What is kept of a message of somebody who may not write; a token is no longer.
    static let strangerBytesMax = 64 << 10

    let door: TreeSocketDoor
    let reception: Reception
    private(set) var admission: Admission { didSet { self.boundMessages() } }
    /// What the connection takes of its caller's share.
    private(set) var claim: CallerClaim?
    /// The page that it was opened for.
    let page: PageOrigin?
    private let handshake: TreeHandshake
    private let host: String
    private let name: String
    /// From `start` to the end.
    private(set) var transport: (any TreeTransport)?
    private(set) var isClosing = false
    private var task: RepeatedTask?

    var connection: TreeConnection
    private(set) var session: TreeSession?
    /// Listens that were begun.
    var tags: [TreeTarget: Tag] = [:]

    /// Those that wait for others.
    private var requests = CircularBuffer<Request>()
    private var isPumping = false
    /// Others have a turn before the next request.
    private var isYielding = false
    /// Children gone through since others had one.
    var turnChildren = 0
    /// Frames that came before it is known who sends them.
    private var frames = CircularBuffer<[UInt8]>()
    /// Until it is known who asks.
    var isAuthenticating = false
    /// Until its caller may ask again: nothing more is read.
    private var resumption: Scheduled<Void>?
    private var writesInFlight = 0
    /// Of the message that comes in.
    private var messageBytes = 0
    var kept: KeptBytes

    /// What waits for the transport: targets that have changed, and answers.
    var outbox = TreeOutbox()
    private(set) var isReading = true

    init(
        _ door: TreeSocketDoor,
        _ reception: Reception,
        _ admission: Admission,
        _ handshake: TreeHandshake,
        host: String,
        page: PageOrigin? = nil,
        budget: ByteBudget
    ) {
        self.door = door
        self.reception = reception
        self.admission = admission
        self.page = page
        self.handshake = handshake
        self.host = host
        self.kept = KeptBytes(budget)
        self.name = door.newName()
        self.connection = TreeConnection(milliseconds: door.milliseconds)
    }

    // MARK: Beginning and end

    /// - Parameter keptBytes: what the transport keeps as long as it is there, where nobody has counted that.
    func start(_ transport: any TreeTransport, keptBytes: Int = 0) {
        self.transport = transport
        self.kept.transport = keptBytes
        self.drawKept()
        guard !self.isClosing else { return }
        self.task = transport.eventLoop.scheduleRepeatedTask(
            initialDelay: Self.tickInterval,
            delay: Self.tickInterval
        ) { _ in self.tick() }
        guard let last = self.handshake.lastSession else { return self.begin() }
        // What the client's last session left is written before this one begins.
        self.door.sessions.end(last, on: self.door.watcher.mailbox) { self.begin() }
    }

    private func begin() {
        guard !self.isClosing, self.take(self.admission) else { return }
        let identity = TreeIdentity(self.admission.caller)
        guard let session = self.door.watcher.open(self.handshake.database, as: identity, for: self) else {
            return self.close(.policyViolation)
        }
        self.session = session
        self.boundMessages()
        self.door.sessions.add(session, as: self.name)
        let milliseconds = self.door.clock.wall().microseconds / 1_000
        self.perform(self.connection.open(milliseconds: milliseconds, host: self.host, session: self.name))
        self.resume()
        self.flush()
    }

    /// The transport is gone.
    func end() {
        self.transport = nil
        self.isClosing = true
        self.task?.cancel()
        self.task = nil
        self.requests.removeAll()
        self.outbox = TreeOutbox()
        self.tags = [:]
        self.frames.removeAll()
        self.kept.giveBack()
        self.claim = nil
        self.resumption?.cancel()
        self.resumption = nil
        guard let session = self.session else { return }
        self.session = nil
        // Until then the client's next connection waits for it.
        session.end { [sessions = self.door.sessions, name = self.name] in sessions.remove(name) }
    }

    /// From now on the connection is this caller's. False: they have as many as they may, and it is closed.
    @discardableResult
    func take(_ admission: Admission) -> Bool {
        self.claim = nil
        let claim = admission.share.map { CallerClaim($0) }
        if let claim, !claim.openStream() || !claim.setListeners(self.tags.count) || !claim.setBytes(self.kept.drawn) {
            self.close(.tryAgainLater)
            return false
        }
        self.claim = claim
        self.admission = admission
        return true
    }

    func close(_ code: WebSocketErrorCode) {
        guard !self.isClosing, let transport = self.transport else { return }
        self.end()
        transport.close(code)
    }

    package func replaced() {
        self.close(.normalClosure)
    }

    private func tick() {
        guard !self.isClosing else { return }
        self.perform(self.connection.tick(milliseconds: self.door.milliseconds))
        if !self.isClosing, !self.admission.stands { self.becomeNobody() }
        self.flush()
    }

    // MARK: Coming in

    /// Bytes of frames that are not whole are kept with the others.
    func keepIncoming(_ bytes: Int) {
        guard !self.isClosing else { return }
        self.kept.incoming += bytes
        self.drawKept()
    }

    func receive(_ frame: [UInt8]) {
        guard !self.isClosing else { return }
        self.frames.append(frame)
        self.kept.incoming += frame.count
        self.resume()
    }

    /// Takes the frames that have come, as long as it is known who sends them.
    func resume() {
        while !self.isClosing, self.session != nil, !self.isAuthenticating, let frame = self.frames.popFirst() {
            self.kept.incoming -= frame.count + self.connection.heldBytes
            self.messageBytes += frame.count
            self.perform(self.connection.receive(frame, milliseconds: self.door.milliseconds))
            self.kept.incoming += self.connection.heldBytes
            if self.connection.heldBytes == 0 { self.messageBytes = 0 }
            self.pump()
        }
        self.pump()
        self.drawKept()
        self.updateReading()
    }

    /// Who shows nothing has nothing to say that is long, and no long message of theirs is read.
    private func boundMessages() {
        guard self.session != nil else { return }
        let isStranger =
            switch self.admission.caller {
            case .nobody: true
            case .user: false
            case .administrator, .restricted: !self.admission.caller.mayWrite(self.handshake.database)
            }
        self.connection.keptBytesMax = isStranger ? Self.strangerBytesMax : .max
    }

    func drawKept() {
        guard !self.isClosing, !self.kept.draw(self.claim) else { return }
        self.close(.policyViolation)
    }

    func perform(_ actions: [TreeConnection.Action]) {
        for action in actions {
            switch action {
            case .send(let text): self.send(text)
            case .perform(let ticket, let action):
                self.requests.append(Request(ticket: ticket, action: action, bytes: self.messageBytes))
                self.kept.requests += self.messageBytes
            case .close(let fault): self.close(fault.code)
            }
        }
    }

    /// Requests in their order. Writes are begun without waiting for each other's answers; the others show what is there, and
    /// wait for the writes before them, and until the transport takes what they show.
    func pump() {
        guard !self.isPumping, !self.isYielding, let session = self.session else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        while !self.isClosing, !self.isAuthenticating, self.resumption == nil, let request = self.requests.first {
            guard request.action.isWrite || self.writesInFlight == 0 && !self.isHeld else { return }
            guard self.turnChildren <= self.door.readBounds.turnChildrenMax else { return self.yield() }
            if let wait = self.admission.share?.take(at: self.nanoseconds) { return self.rest(wait) }
            self.requests.removeFirst()
            self.kept.requests -= request.bytes
            self.perform(request, session)
        }
    }

    private var nanoseconds: UInt64 { self.transport?.eventLoop.now.uptimeNanoseconds ?? 0 }

    /// Who asks too often waits: a refused write would be lost to a client that has shown it already.
    private func rest(_ nanoseconds: UInt64) {
        let time = TimeAmount.nanoseconds(Int64(clamping: nanoseconds) &+ 1)
        self.resumption = self.transport?.eventLoop.scheduleTask(in: time) {
            self.resumption = nil
            self.resume()
            self.flush()
        }
    }

    private func yield() {
        self.isYielding = true
        self.transport?.eventLoop.execute {
            self.isYielding = false
            self.turnChildren = 0
            self.resume()
            self.flush()
        }
    }

    func write(_ write: TreeWrite, expecting hash: String?, _ request: Request, _ session: TreeSession) {
        self.writesInFlight += 1
        self.kept.requests += request.bytes
        session.write(write, expecting: hash) { result in
            self.writesInFlight -= 1
            guard !self.isClosing else { return }
            self.kept.requests -= request.bytes
            self.respond(request.ticket, result.status, result.data)
            self.resume()
            self.flush()
        }
    }

    /// A client that takes nothing, or writes faster than the disk, is not listened to.
    func updateReading() {
        guard let transport = self.transport, !self.isClosing else { return }
        let isReading =
            !self.isHeld && self.kept.requests <= Self.requestBytesMax && !self.isAuthenticating && self.session != nil
            && self.resumption == nil
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        transport.setReading(isReading)
    }
}

extension TreeSocketDoor {
    /// Only how far two of them are apart means something.
    var milliseconds: Int64 { Int64(self.clock.monotonic().sinceStart.microseconds / 1_000) }
}
