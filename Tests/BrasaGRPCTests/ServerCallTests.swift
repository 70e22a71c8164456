import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

/// The server as any peer may find it, byte by byte.
@Suite struct ServerCallTests {
    @Test(arguments: ["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8"])
    func `A unary call is answered with headers, message and trailers`(contentType: String) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(contentType: contentType))
        call.stream?.sendData(ByteBuffer(bytes: framed([1, 2, 3])))
        call.stream?.finish()
        try loopback.run()
        #expect(call.headers?.string(.status) == "200")
        #expect(call.headers?.string(.contentType) == "application/grpc")
        #expect(call.body == framed([1, 2, 3]))
        #expect(call.status == .ok)
        #expect(call.closed == .finished)
        #expect(loopback.service.calls.first?.descriptor?.path == "/test.Service/Unary")
    }

    @Test func `A message may be cut into frames anywhere`() throws {
        let bytes = framed(Array(0..<20))
        for cut in 0...bytes.count {
            let loopback = try Loopback()
            defer { loopback.close() }
            let call = try loopback.raw(.call())
            for part in [bytes[..<cut], bytes[cut...]] {
                call.stream?.sendData(ByteBuffer(bytes: part))
                try loopback.run()
            }
            #expect(loopback.service.calls.isEmpty)
            call.stream?.finish()
            try loopback.run()
            #expect(call.body == bytes)
        }
    }

    @Test(arguments: ["", "text/plain", "application/grpc-web", "application/json", "application/grp"])
    func `Another content type is answered with HTTP 415 and no gRPC status`(contentType: String) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(contentType: contentType))
        try loopback.run()
        #expect(call.headers?.string(.status) == "415")
        #expect(call.headers?.contains(.grpcStatus) == false)
        #expect(call.headersEndedStream)
        #expect(call.closed == .finished)
    }

    @Test func `Another method than POST is answered with HTTP 405`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(method: "PUT"), endStream: true)
        try loopback.run()
        #expect(call.headers?.string(.status) == "405")
    }

    @Test(arguments: [
        "/test.Service/Nothing", "/Test.Service/Unary", "/test.Service/Unary/", "/", "/%zz/%",
    ])
    func `An unknown method is UNIMPLEMENTED in trailers behind headers`(path: String) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        var headers = HTTP2Headers([(.method, "POST"), (.scheme, "http"), (.authority, "test")])
        headers.append(.path, path)
        headers.append(.contentType, "application/grpc")
        let call = try loopback.raw(headers)
        try loopback.run()
        #expect(call.headers?.string(.status) == "200")
        #expect(!call.headersEndedStream)
        #expect(call.status?.code == .unimplemented)
    }

    struct Misuse: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var headers: [(name: HTTP2HeaderName, value: String)] = []
        var bytes: [UInt8] = []
        var status: StatusCode
        var message: String?
    }

    static let misuses = [
        Misuse(testDescription: "no message", status: .unimplemented),
        Misuse(testDescription: "two messages", bytes: framed([1]) + framed([2]), status: .unimplemented),
        Misuse(testDescription: "half a prefix", bytes: [0, 0, 0], status: .internal),
        Misuse(testDescription: "half a message", bytes: [0, 0, 0, 0, 9, 1, 2], status: .internal),
        Misuse(testDescription: "flag without encoding", bytes: framed([1], flag: 1), status: .internal),
        Misuse(
            testDescription: "flag with identity",
            headers: [(.grpcEncoding, "identity")],
            bytes: framed([1], flag: 1),
            status: .internal
        ),
        Misuse(
            testDescription: "damaged gzip",
            headers: [(.grpcEncoding, "gzip")],
            bytes: framed([1], flag: 1),
            status: .internal
        ),
        Misuse(testDescription: "foreign flag", bytes: framed([1], flag: 3), status: .internal),
        Misuse(
            testDescription: "too large",
            bytes: [0, 0, 0xA0, 0, 1],
            status: .invalidArgument,
            message: "Request payload size exceeds the limit: 10485760 bytes."
        ),
        Misuse(
            testDescription: "hostile length",
            bytes: [1, 0xFF, 0xFF, 0xFF, 0xFF],
            status: .invalidArgument,
            message: "Request payload size exceeds the limit: 10485760 bytes."
        ),
        Misuse(testDescription: "malformed timeout", headers: [(.grpcTimeout, "1h")], status: .invalidArgument),
        Misuse(testDescription: "no time", headers: [(.grpcTimeout, "0m")], status: .deadlineExceeded),
        Misuse(testDescription: "foreign encoding", headers: [(.grpcEncoding, "br")], status: .unimplemented),
    ]

    @Test(arguments: misuses, [TestService.unary, TestService.streaming])
    func `Misuse gets a status and reaches no service`(_ misuse: Misuse, method: GRPCMethodDescriptor) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(method, with: misuse.headers))
        call.stream?.sendData(ByteBuffer(bytes: misuse.bytes))
        call.stream?.finish()
        try loopback.run()
        #expect(call.status?.code == misuse.status)
        if let message = misuse.message { #expect(call.status?.message == message) }
        #expect(call.headers?.string(.status) == "200")
        #expect(loopback.service.calls.isEmpty)
        if misuse.status == .unimplemented, !misuse.headers.isEmpty {
            #expect(call.headers?.string(.grpcAcceptEncoding) == "identity,gzip")
        }
        #expect(try loopback.unary() != nil)
    }

    @Test func `A message as large as the limit passes, whatever the windows`() throws {
        var http2 = HTTP2Limits()
        http2.streamWindowBytes = 64 << 10
        let loopback = try Loopback(http2: http2)
        defer { loopback.close() }
        loopback.service.answer = { call, message in call.respond(ByteBuffer(integer: message.readableBytes)) }
        let outcome = try loopback.unary(TestService.unary, Array(repeating: 7, count: 10 << 20))
        #expect(try outcome?.get() == withUnsafeBytes(of: (10 << 20).bigEndian) { Array($0) })
    }

    @Test func `Unfinished messages of one connection are bounded together`() throws {
        var limits = GRPCServerLimits()
        limits.requestBytesMax = 1000
        let loopback = try Loopback(limits: limits)
        defer { loopback.close() }
        var calls: [RawCall] = []
        for _ in 0..<3 {
            let call = try loopback.raw(.call())
            call.stream?.sendData(ByteBuffer(bytes: framed(Array(repeating: 1, count: 500)).prefix(450)))
            try loopback.run()
            calls.append(call)
        }
        #expect(calls.map(\.status?.code) == [nil, nil, .resourceExhausted])
        for call in calls { call.stream?.reset(.cancel) }
        try loopback.run()
        #expect(try loopback.unary(TestService.unary, Array(repeating: 1, count: 900)) != nil)
        // What is gone counts no more.
        let call = try loopback.raw(.call())
        call.stream?.sendData(ByteBuffer(bytes: framed(Array(repeating: 1, count: 995)).prefix(990)))
        try loopback.run()
        #expect(call.status == nil)
    }

    @Test func `An answer before the request's end stops the client`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.whenStarted = { $0.call.finish(GRPCStatus(.permissionDenied, "no")) }
        let call = try loopback.raw(.call(TestService.bidirectional))
        try loopback.run()
        #expect(call.status == GRPCStatus(.permissionDenied, "no"))
        #expect(call.closed == .finished)
        #expect(loopback.service.handlers[0].cancellations == 0)
    }

    @Test(arguments: ["99999999H", "99999999M", "1n"])
    func `Extreme timeouts are deadlines like others`(timeout: String) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        try loopback.advance(by: .hours(1000))
        let call = try loopback.raw(.call(TestService.bidirectional, with: [(.grpcTimeout, timeout)]))
        try loopback.run()
        let deadline = try #require(loopback.service.calls[0].deadline)
        #expect(deadline > loopback.loop.now)
        call.stream?.reset(.cancel)
        try loopback.run()
        try loopback.advance(by: .hours(1))
        #expect(loopback.service.handlers[0].cancellations == 1)
    }

    @Test(arguments: [(999_999, true), (1_000_000, false)] as [(Int64, Bool)])
    func `What was asked in full too late is not carried out, be it by less than the timer's tick`(
        late nanoseconds: Int64,
        isInTime: Bool
    ) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        try loopback.advance(by: .microseconds(500))
        let call = try loopback.raw(.call(TestService.unary, with: [(.grpcTimeout, "1m")]))
        try loopback.run()
        try loopback.advance(by: .nanoseconds(nanoseconds))
        call.stream?.sendData(ByteBuffer(bytes: framed([])))
        call.stream?.finish()
        try loopback.run()
        #expect(loopback.service.requests.count == (isInTime ? 1 : 0))
        #expect(call.status?.code == (isInTime ? .ok : .deadlineExceeded))
    }

    @Test func `A call that nobody has any more is used again, and who answers late answers no other`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        var seen: [ObjectIdentifier] = []
        loopback.service.answer = { call, message in
            seen.append(ObjectIdentifier(call))
            #expect(call.caller == nil)
            call.respond(message)
            // A second answer, and one that comes when the call is long gone.
            call.finish(GRPCStatus(.internal, "late"))
        }
        func echo(_ byte: UInt8) throws { #expect(try loopback.unary(TestService.unary, [byte])?.get() == [byte]) }
        try echo(1)
        // Said of a call that is gone.
        loopback.service.calls[0].caller = loopback.service
        loopback.service.calls = []
        try echo(2)
        #expect(seen[1] == seen[0])
        // Now the test has the call, and it is not used again.
        let kept = loopback.service.calls
        try echo(3)
        #expect(seen[2] != seen[0])
        kept[0].send(ByteBuffer(bytes: [9]))
        kept[0].finish(.ok)
        kept[0].resumeReading()
        kept[0].admit()
        #expect(kept[0].isFinished && !kept[0].isWritable && !kept[0].hasRoom() && !kept[0].hold(1))
        try echo(4)
    }

    @Test func `A service may pause with its request's end already here`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.whenStarted = { handler in
            handler.whenReceived = { handler, _ in handler.call.pauseReading() }
            handler.whenHalfClosed = { $0.call.finish(.ok) }
        }
        let call = try loopback.raw(.call(TestService.bidirectional))
        call.stream?.sendData(ByteBuffer(bytes: framed([1]) + framed([2]) + [0, 0]))
        call.stream?.finish()
        try loopback.run()
        let handler = loopback.service.handlers[0]
        #expect(handler.messages == [[1]])
        handler.call.resumeReading()
        #expect(handler.messages == [[1], [2]])
        handler.call.resumeReading()
        try loopback.run()
        #expect(call.status == .truncatedMessage)
        #expect(handler.halfCloses == 0)
        #expect(handler.cancellations == 1)
    }

    @Test func `A blocked stream is reset at its deadline`() throws {
        var http2 = HTTP2Limits()
        http2.streamWindowBytes = 64 << 10
        let loopback = try Loopback(http2: http2)
        defer { loopback.close() }
        loopback.service.whenStarted = { handler in
            while handler.call.isWritable { handler.call.send(ByteBuffer(repeating: 1, count: 10_000)) }
        }
        let call = try loopback.raw(.call(TestService.bidirectional, with: [(.grpcTimeout, "1S")]))
        call.consumes = false
        try loopback.run()
        try loopback.advance(by: .seconds(1))
        #expect(call.closed == .resetByPeer(.cancel))
        #expect(loopback.service.handlers[0].cancellations == 1)
    }

    @Test func `Late answers to a call that is gone go nowhere`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        var observed = 0
        let call = try loopback.raw(.call())
        call.stream?.sendData(ByteBuffer(bytes: framed([1])))
        call.stream?.finish()
        try loopback.run()
        let served = loopback.service.calls[0]
        served.onCancel { observed += 1 }
        call.stream?.reset(.cancel)
        try loopback.run()
        #expect(observed == 1)
        #expect(served.isCancelled)
        served.onCancel { observed += 1 }
        #expect(observed == 2)
        served.respond(ByteBuffer(bytes: [1]))
        served.finish(GRPCStatus(.aborted))
        try loopback.run()
        #expect(observed == 2)
    }

    @Test func `The end of grace finishes calls with UNAVAILABLE`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(TestService.bidirectional))
        try loopback.run()
        loopback.serverHTTP2.drain(grace: .seconds(5))
        try loopback.run()
        #expect(loopback.service.handlers[0].drains == 1)
        #expect(call.status == nil)
        try loopback.advance(by: .seconds(5))
        #expect(call.status?.code == .unavailable)
        #expect(loopback.service.handlers[0].cancellations == 1)
    }

    @Test(arguments: [TestService.streaming, TestService.bidirectional], [false, true])
    func `A call that crosses the start of a drain hears of it`(_ method: GRPCMethodDescriptor, isOpen: Bool) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(method))
        if isOpen { try loopback.run() }
        loopback.serverHTTP2.drain(grace: .seconds(5))
        call.stream?.sendData(ByteBuffer(bytes: framed([1])))
        if method.kind == .serverStreaming { call.stream?.finish() }
        try loopback.run()
        #expect(loopback.service.handlers.map(\.drains) == [1])
        #expect(loopback.isServerOpen && call.closed == nil)
        loopback.service.handlers[0].call.finish(GRPCStatus(.unavailable))
        try loopback.run()
        #expect(call.status?.code == .unavailable)
    }

    @Test(arguments: [false, true])
    func `The end of grace is not UNAVAILABLE for what may happen yet, unless it is taken back`(canTakeBack: Bool)
        throws
    {
        let loopback = try Loopback()
        defer { loopback.close() }
        let call = try loopback.raw(.call(TestService.bidirectional))
        try loopback.run()
        let served = loopback.service.handlers[0].call
        served.hasOpenOutcome = true
        if canTakeBack { served.onCancel { served.hasOpenOutcome = false } }
        loopback.serverHTTP2.drain(grace: .seconds(5))
        try loopback.advance(by: .seconds(5))
        #expect(call.status?.code == (canTakeBack ? .unavailable : .dataLoss))
    }
}
