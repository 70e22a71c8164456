import BrasaHTTP
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// What a connection of HTTP/1.1 receives. The first byte says how much of it comes at a time.
package func fuzzHttp1(_ bytes: [UInt8]) {
    guard let size = bytes.first else { return }
    let server = FuzzedServer()
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 1 << 10
    limits.maxHeaderListSize = 2 << 10
    limits.maxHeaderFieldCount = 20
    let pipeline = server.channel.pipeline.syncOperations
    do {
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true,
            withServerUpgrade: nil,
            withErrorHandling: true,
            withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits
        )
        try pipeline.addHandler(HTTP1RequestHandler(server.door))
    } catch {
        return
    }
    server.connect()
    var rest = bytes.dropFirst()
    while !rest.isEmpty {
        server.receive(rest.prefix(Int(size) * 8 + 1))
        rest = rest.dropFirst(Int(size) * 8 + 1)
    }
    server.close()
}
