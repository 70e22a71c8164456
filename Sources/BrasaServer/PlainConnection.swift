import BrasaHTTP
import BrasaHTTP2
import BrasaTreeSocket
import NIOCore
import NIOHTTP1

/// A connection of HTTP/1.1: how it is set up, and what it may take.
///
/// The pipeline handler reads nothing more while a request is being answered, so what has been parsed and waits is what one
/// read brought at most.
enum PlainConnection {
    struct NoRoom: Error {}

    /// How long it may stay open between requests, or with an answer that is not read. A request that has begun has
    /// `HTTPDoor.receiveTimeMax`, however steadily it trickles.
    static let idleLimit: TimeAmount = .seconds(60)
    /// What is read at a time, here and before the protocol is known: a hundred of the smallest requests.
    static let readBytes = 2 << 10
    /// About what it keeps at most: those requests or a head and a body, and an answer. Drawn as long as it is open.
    static let keptBytes = 64 << 10

    private static var headLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 16 << 10
        limits.maxHeaderFieldCount = 100
        return limits
    }

    /// - Parameter upgrader: makes another protocol of the connection, when its first request asks for that.
    /// - Throws: `NoRoom` when the budget has nothing left for it.
    static func configure(
        _ channel: any Channel,
        budget: ByteBudget,
        refusals: ConnectionRefusals,
        door: HTTPDoor,
        upgrader: (any HTTPServerProtocolUpgrader)? = nil,
        isOverTLS: Bool = false
    ) throws {
        let keptBytes = Self.keptBytes + (isOverTLS ? TLSDoor.keptBytesOfPlainRequests : 0)
        guard budget.draw(keptBytes, holding: 0) else {
            refusals.count(.memory)
            throw NoRoom()
        }
        var door = door
        door.budget = budget
        channel.closeFuture.whenComplete { _ in budget.giveBack(keptBytes) }
        let pipeline = channel.pipeline.syncOperations
        var upgrade: NIOHTTPServerUpgradeConfiguration?
        if let upgrader {
            upgrade = (upgraders: [upgrader], completionHandler: { context in Self.leave(context) })
        }
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true,
            withServerUpgrade: upgrade,
            withErrorHandling: true,
            withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: Self.headLimits
        )
        if upgrader != nil { try pipeline.addHandler(UpgradeRefusalHandler()) }
        try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleLimit))
        try pipeline.addHandler(HTTP1RequestHandler(door))
    }

    /// What is of HTTP alone goes when another protocol takes its place.
    private static func leave(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        if let handler = try? pipeline.handler(type: UpgradeRefusalHandler.self) {
            pipeline.removeHandler(handler, promise: nil)
        }
        if let handler = try? pipeline.handler(type: IdleStateHandler.self) {
            pipeline.removeHandler(handler, promise: nil)
        }
        if let handler = try? pipeline.handler(type: HTTP1RequestHandler.self) {
            pipeline.removeHandler(handler, promise: nil)
        }
    }
}
