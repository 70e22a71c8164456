import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

@Suite struct ReceiveTimeTests {
    private func isTooSlow(_ call: RawCall) -> Bool {
        call.status == GRPCStatus(.deadlineExceeded, "The request did not arrive within 60000 ms.")
    }

    @Test(arguments: [TestService.unary, TestService.streaming], [[], framed([1, 2, 3]).dropLast(), framed([1])])
    func `A request of one message is to arrive within a minute of its headers`(
        method: GRPCMethodDescriptor,
        sent: [UInt8]
    ) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(method))
        try loopback.run()
        try loopback.advance(by: .seconds(50))
        call.stream?.sendData(ByteBuffer(bytes: sent))
        try loopback.run()
        try loopback.advance(by: .seconds(9))
        #expect(call.status == nil)
        try loopback.advance(by: .seconds(1))
        #expect(self.isTooSlow(call))
        #expect(loopback.service.calls.isEmpty)
    }

    @Test func `A call whose request has come may take its time`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        let call = try loopback.raw(.call(with: [(.grpcTimeout, "100S")]))
        try loopback.run()
        call.stream?.sendData(ByteBuffer(bytes: framed([1])))
        call.stream?.finish()
        try loopback.run()
        try loopback.advance(by: .seconds(90))
        #expect(call.status == nil)
        try loopback.advance(by: .seconds(10))
        #expect(call.status == .deadlineExceeded)
    }

    @Test func `The client's own deadline stays what it is`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let early = try loopback.raw(.call(with: [(.grpcTimeout, "10S")]))
        let late = try loopback.raw(.call(with: [(.grpcTimeout, "1H")]))
        try loopback.run()
        try loopback.advance(by: .seconds(10))
        #expect(early.status == .deadlineExceeded)
        try loopback.advance(by: .seconds(50))
        #expect(self.isTooSlow(late))
    }

    @Test func `A stream's message that does not go on ends it, one that does starts anew`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(TestService.bidirectional))
        try loopback.run()
        try loopback.advance(by: .hours(1))
        #expect(call.status == nil)
        let message = framed([1, 2, 3])
        call.stream?.sendData(ByteBuffer(bytes: message.prefix(4)))
        try loopback.run()
        for _ in 0..<3 {
            try loopback.advance(by: .seconds(40))
            call.stream?.sendData(ByteBuffer(bytes: message.suffix(4) + message.prefix(4)))
            try loopback.run()
        }
        #expect(call.status == nil)
        #expect(loopback.service.handlers[0].messages.count == 3)
        try loopback.advance(by: .seconds(60))
        #expect(self.isTooSlow(call))
        #expect(loopback.service.handlers[0].cancellations == 1)
    }

    @Test func `A service that pauses takes no time of the client's`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.whenStarted = { $0.whenReceived = { handler, _ in handler.call.pauseReading() } }
        let call = try loopback.raw(.call(TestService.bidirectional))
        call.stream?.sendData(ByteBuffer(bytes: framed([1]) + framed([2]).dropLast()))
        try loopback.run()
        try loopback.advance(by: .hours(1))
        #expect(call.status == nil)
        loopback.service.handlers[0].call.resumeReading()
        try loopback.advance(by: .seconds(59))
        #expect(call.status == nil)
        try loopback.advance(by: .seconds(1))
        #expect(self.isTooSlow(call))
    }
}
