import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

/// Which requests come to gRPC, and how a call waits for leave to go on.
@Suite struct DoorTests {
    // MARK: Doors

    /// Answers what is no gRPC call.
    private final class OtherDoor: HTTP2StreamHandler {
        let stream: HTTP2Stream
        init(_ stream: HTTP2Stream) { self.stream = stream }

        func received(headers: HTTP2Headers, endStream: Bool) {
            self.stream.sendHeaders(HTTP2Headers([(.status, "200"), (.contentType, "text/plain")]))
            self.stream.sendData(ByteBuffer(bytes: headers[.path] ?? []))
            self.stream.finish()
        }
        func received(data: ByteBuffer, endStream: Bool) { self.stream.consume(data.readableBytes) }
        func received(trailers: HTTP2Headers) {}
        func becameWritable() {}
        func closed(_ reason: HTTP2CloseReason) {}
    }

    @Test(
        arguments: [
            ("GET", "/metrics", nil, true), ("GET", "/", nil, true), ("POST", "/v1/x", "application/json", true),
            ("POST", "/test.Service/Unary", "application/grpcx", true), ("POST", "/test.Service/Unary", nil, true),
            ("POST", "/test.Service/Unary", "application/grpc", false),
            ("POST", "/test.Service/Unary", "application/grpc+proto", false),
            ("POST", "/metrics", "application/grpc;x", false),
        ] as [(String, String, String?, Bool)]
    )
    func `The content type chooses the door`(method: String, path: String, type: String?, isOther: Bool) throws {
        let loopback = try Loopback(otherwise: { stream, _ in OtherDoor(stream) })
        defer { loopback.close() }
        var headers = HTTP2Headers([(.method, method), (.scheme, "http"), (.path, path), (.authority, "test")])
        if let type { headers.append(.contentType, type) }
        let call = try loopback.raw(headers, endStream: true)
        try loopback.run()
        #expect((call.status == nil) == isOther)
        #expect((call.body == Array(path.utf8)) == isOther)
    }

    // MARK: The gate

    /// Lets every call wait, and says what it has seen.
    private final class Gate: @unchecked Sendable {
        var waiting: [GRPCServerCall] = []
        var authorizations: [String?] = []
        var cancellations = 0
        var answer = GRPCAdmission.waiting

        func ask(_ call: GRPCServerCall, _ headers: HTTP2Headers) -> GRPCAdmission {
            self.waiting.append(call)
            self.authorizations.append(headers.string(.authorization))
            call.onCancel { self.cancellations += 1 }
            return self.answer
        }
    }

    private func loopback(_ gate: Gate, limits: GRPCServerLimits = GRPCServerLimits()) throws -> Loopback {
        try Loopback(limits: limits, gate: { gate.ask($0, $1) })
    }

    @Test(arguments: [TestService.unary, TestService.streaming, TestService.bidirectional])
    func `A call that waits is admitted with all that has come meanwhile`(method: GRPCMethodDescriptor) throws {
        let gate = Gate()
        let loopback = try self.loopback(gate)
        defer { loopback.close() }
        let call = try loopback.raw(.call(method, with: [(.authorization, "me")]))
        call.stream?.sendData(ByteBuffer(bytes: framed([1, 2])))
        call.stream?.finish()
        try loopback.run()
        #expect(gate.authorizations == ["me"])
        #expect(loopback.service.calls.isEmpty && loopback.service.handlers.isEmpty)
        gate.waiting[0].admit()
        try loopback.run()
        #expect(loopback.service.calls.count == 1)
        switch method.kind {
        case .unary: #expect(call.body == framed([1, 2]) && call.status?.isOK == true)
        case .serverStreaming: #expect(loopback.service.requests == [[1, 2]])
        default:
            #expect(loopback.service.handlers[0].messages == [[1, 2]] && loopback.service.handlers[0].halfCloses == 1)
        }
        // A second answer changes nothing.
        gate.waiting[0].admit()
        try loopback.run()
        #expect(loopback.service.calls.count == 1)
    }

    @Test func `An answer that is known at once lets no call wait`() throws {
        let gate = Gate()
        gate.answer = .admitted
        let loopback = try self.loopback(gate)
        defer { loopback.close() }
        #expect(try loopback.unary(TestService.unary, [7])?.get() == [7])
        gate.answer = .refused(GRPCStatus(.unauthenticated, "Who are you?"))
        guard case .failure(let result) = try loopback.unary(TestService.unary, [7]) else {
            Issue.record("the call was answered")
            return
        }
        #expect(result.status.code == .unauthenticated)
        #expect(loopback.service.calls.count == 1)
        #expect(gate.cancellations == 0)
    }

    @Test func `A client whose call waits can send a window, and goes on when the call is admitted`() throws {
        let gate = Gate()
        let loopback = try self.loopback(gate)
        defer { loopback.close() }
        let message = Array(repeating: UInt8(1), count: 1 << 20)
        let call = try loopback.raw(.call())
        call.stream?.sendData(ByteBuffer(bytes: framed(message)))
        call.stream?.finish()
        try loopback.run()
        #expect(call.stream?.bufferedBytes == framed(message).count - HTTP2Limits().streamWindowBytes)
        gate.waiting[0].admit()
        try loopback.run()
        #expect(loopback.service.requests == [message])
        #expect(call.status?.isOK == true)
    }

    @Test func `A call that waits ends with its stream, its deadline and the drain's grace`() throws {
        let gate = Gate()
        let loopback = try self.loopback(gate)
        defer { loopback.close() }
        let cancelled = try loopback.raw(.call())
        let late = try loopback.raw(.call(with: [(.grpcTimeout, "5S")]))
        let slow = try loopback.raw(.call())
        try loopback.run()
        cancelled.stream?.reset(.cancel)
        try loopback.advance(by: .seconds(5))
        #expect(late.status?.code == .deadlineExceeded)
        #expect(gate.cancellations == 2)
        // The time to send the request does not run while the call waits.
        try loopback.advance(by: .seconds(100))
        #expect(slow.status == nil)
        loopback.serverHTTP2.drain(grace: .seconds(1))
        try loopback.advance(by: .seconds(1))
        #expect(slow.status?.code == .unavailable)
        #expect(gate.cancellations == 3)
        for call in gate.waiting { call.admit() }
        #expect(loopback.service.calls.isEmpty)
    }
}
