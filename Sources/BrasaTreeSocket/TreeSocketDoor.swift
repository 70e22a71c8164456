import BrasaHTTP
package import BrasaHTTP2
package import BrasaIdentity
package import BrasaPlatform
package import BrasaTreeWatch
import BrasaTreeWire
package import NIOCore
package import NIOHTTP1
import NIOWebSocket

/// The door of one event loop for connections that stay open: `/.ws`, upgraded from HTTP/1.1.
package struct TreeSocketDoor: Sendable {
    static let path = "/.ws"
    /// What clients cut, in UTF-16 units of three bytes at most, and some.
    static let frameBytesMax = 64 << 10
    static let piecesMax = 64

    let watcher: TreeWatcher
    let sessions: TreeSessionTable
    let clock: Clock
    let entropy: Entropy
    var readBounds = ReadBounds()

    package init(
        _ watcher: TreeWatcher,
        _ sessions: TreeSessionTable,
        clock: Clock = .system,
        entropy: Entropy = .system
    ) {
        self.watcher = watcher
        self.sessions = sessions
        self.clock = clock
        self.entropy = entropy
    }

    /// 32 digits that nobody can guess.
    func newName() -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = self.entropy.bytes(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Of one connection. A request that is not admitted goes on as one of plain HTTP.
    /// - Parameter budget: what the connection draws from.
    package func upgrader(_ reception: Reception, budget: ByteBudget) -> any HTTPServerProtocolUpgrader {
        let visit = Visit(budget)
        return NIOWebSocketServerUpgrader(
            maxFrameSize: Self.frameBytesMax,
            shouldUpgrade: { channel, head in self.admit(head, reception, visit, channel) },
            upgradePipelineHandler: { channel, head in self.open(channel, head, reception, visit) }
        )
    }

    /// Asked on the event loop, between the request and its answer, with nothing read meanwhile.
    private func admit(
        _ head: HTTPRequestHead,
        _ reception: Reception,
        _ visit: Visit,
        _ channel: any Channel
    ) -> EventLoopFuture<HTTPHeaders?> {
        // A request may ask for it many times; who it is is found out once.
        guard !visit.isRefused, TreeHandshake(head) != nil else { return channel.eventLoop.makeSucceededFuture(nil) }
        let promise = channel.eventLoop.makePromise(of: HTTPHeaders?.self)
        visit.page = PageOrigin(head)
        let values = head.headers["authorization"]
        let authorization = values.isEmpty ? nil : Array(values.joined(separator: ", ").utf8)
        let known = reception.identify(authorization) { answer in
            channel.eventLoop.execute {
                try? channel.syncOptions?.setOption(.autoRead, value: true)
                promise.succeed(visit.take(answer))
            }
        }
        if let known {
            promise.succeed(visit.take(known))
        } else {
            try? channel.syncOptions?.setOption(.autoRead, value: false)
        }
        return promise.futureResult
    }

    private func open(
        _ channel: any Channel,
        _ head: HTTPRequestHead,
        _ reception: Reception,
        _ visit: Visit
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard let admission = visit.admission, let handshake = TreeHandshake(head) else { throw NotAdmitted() }
            let pieces = NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: Self.piecesMax,
                maxAccumulatedFrameSize: Self.frameBytesMax
            )
            try channel.pipeline.syncOperations.addHandler(pieces)
            let conversation = TreeConversation(
                self,
                reception,
                admission,
                handshake,
                host: head.headers["host"].first ?? "",
                page: visit.page,
                budget: visit.budget
            )
            let socket = TreeSocketHandler(conversation, on: channel.eventLoop)
            try channel.pipeline.syncOperations.addHandler(socket)
        }
    }

    private struct NotAdmitted: Error {}
}

/// By what a connection is let in, between its request and its upgrade. On its event loop only.
private final class Visit: @unchecked Sendable {
    let budget: ByteBudget
    var page: PageOrigin?
    private(set) var admission: Admission?
    private(set) var isRefused = false

    init(_ budget: ByteBudget) {
        self.budget = budget
    }

    /// A request counts as a call. Who may not make one, or not from that page, is told so as one of plain HTTP.
    func take(_ identification: Identification) -> HTTPHeaders? {
        guard case .admitted(let admission) = identification, admission.mayBeUsed(by: self.page),
            admission.takeCall() == nil
        else {
            self.isRefused = true
            return nil
        }
        self.admission = admission
        return HTTPHeaders()
    }
}

/// Keeps the refusal of an upgrade from those behind it: the request goes on to them as it is. Stands in front of who answers
/// requests.
package final class UpgradeRefusalHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart

    package init() {}

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is NIOWebSocketUpgradeError) else { return }
        context.fireErrorCaught(error)
    }
}

extension PageOrigin {
    /// Nil: no browser has sent it for a page.
    fileprivate init?(_ head: HTTPRequestHead) {
        let origins = head.headers["origin"]
        guard !origins.isEmpty else { return nil }
        self.init(origins.joined(separator: ", "), host: head.headers["host"].first ?? "")
    }
}

extension TreeHandshake {
    /// Nil for what is no request of this door, or names no database, or another version of the protocol.
    init?(_ head: HTTPRequestHead) {
        let path = head.uri.prefix { $0 != "?" }
        guard path == TreeSocketDoor.path else { return nil }
        // A session of long polling would go on here; its client stays with that when it is refused.
        guard let parameters = HTTPQuery.parameters(head.uri.dropFirst(path.count + 1)),
            !parameters.contains(where: { $0.name == "s" })
        else { return nil }
        self.init(host: head.headers["host"].first, parameters)
    }

    /// Nil for what names no database, or another version of the protocol.
    init?(host: String?, _ parameters: [HTTPField]) {
        do throws(TreeHandshake.Fault) {
            self = try TreeHandshake(host: host ?? "", parameters: parameters.map { (name: $0.name, value: $0.value) })
        } catch {
            return nil
        }
    }
}

extension Admission {
    /// Whether what a page asks for may be done: by nothing but their place nobody is let in for a page from elsewhere.
    func mayBeUsed(by page: PageOrigin?) -> Bool { !self.isAmbient || page?.isForeign != true }

    /// Counts a call; nanoseconds to wait where there may be none now.
    func takeCall() -> UInt64? { self.share?.take(at: NIODeadline.now().uptimeNanoseconds) }
}
