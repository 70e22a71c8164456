import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

/// What calls that are refused cost.
@Suite struct RefusalTests {
    private let unknown = GRPCMethodDescriptor(
        service: "test.Service",
        method: String(repeating: "x", count: 7000),
        kind: .unary
    )

    @Test func `Refusals leave though the client's windows are closed, and nothing is kept`() throws {
        var http2 = HTTP2Limits()
        http2.streamWindowBytes = 0
        let budget = ByteBudget(bytesMax: 1 << 20)
        let loopback = try Loopback(http2: http2, budget: budget)
        defer { loopback.close() }
        let requests: [HTTP2Headers] = [
            .call(self.unknown), .call(with: [(.grpcEncoding, "snappy")]), .call(with: [(.grpcTimeout, "soon")]),
            .call(),
        ]
        for request in requests {
            let call = try loopback.raw(request, endStream: true)
            try loopback.run()
            #expect(call.status?.isOK == false)
            #expect(call.closed == .finished)
        }
        #expect(loopback.serverHTTP2.openStreams == 0)
        #expect(budget.drawnBytes == 16 << 10)
    }

    @Test func `An unknown method is named in few words`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(self.unknown), endStream: true)
        try loopback.run()
        let named = "/test.Service/" + String(repeating: "x", count: 86)
        #expect(call.status == GRPCStatus(.unimplemented, "The server has no method \(named)"))
    }

    @Test func `An unknown method is not even named when there is no room`() throws {
        let budget = ByteBudget(bytesMax: 0)
        let loopback = try Loopback(budget: budget)
        defer { loopback.close() }
        let parked = try loopback.raw(.call(TestService.bidirectional))
        try loopback.run()
        let account = try #require(loopback.service.handlers[0].call.stream?.account)
        // Room for one more stream, and nothing else.
        let rest = (16 << 10) - account.usedBytes - (2 << 10)
        account.add(rest)
        let call = try loopback.raw(.call(self.unknown), endStream: true)
        try loopback.run()
        #expect(call.status == .noRoom)
        #expect(parked.status == nil)
        account.remove(rest)
    }
}
