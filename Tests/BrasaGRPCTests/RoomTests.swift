import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

/// What calls may make the server keep, and what happens when that is too much.
@Suite struct RoomTests {
    /// A connection whose client takes a thousand bytes of an answer and then no more.
    private static func deaf(unreadBytesMax: Int = 64 << 20) -> HTTP2Limits {
        var limits = HTTP2Limits()
        limits.streamWindowBytes = 1000
        limits.connectionUnreadBytesMax = unreadBytesMax
        return limits
    }

    private func call(_ loopback: Loopback, _ method: GRPCMethodDescriptor = TestService.unary, _ message: [UInt8] = [])
        throws -> RawCall
    {
        let call = try loopback.raw(.call(method))
        call.consumes = false
        call.stream?.sendData(ByteBuffer(bytes: framed(message)))
        if method.kind.hasOneRequest { call.stream?.finish() }
        try loopback.run()
        return call
    }

    /// What waits for the client on all calls that were begun.
    private func unreadBytes(_ loopback: Loopback) -> Int {
        loopback.service.calls.reduce(0) { $0 + ($1.stream?.bufferedBytes ?? 0) }
    }

    // MARK: Answers

    @Test func `An answer that finds too much unread is replaced by RESOURCE_EXHAUSTED`() throws {
        let loopback = try Loopback(http2: Self.deaf(unreadBytesMax: 200_000))
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        for _ in 0..<40 { _ = try self.call(loopback) }
        #expect(loopback.service.calls.count == 40)
        for served in loopback.service.calls {
            served.respond(ByteBuffer(repeating: 7, count: 20_000))
            try loopback.run()
        }
        let unread = self.unreadBytes(loopback)
        #expect(unread > 150_000 && unread <= 200_000)
        #expect(loopback.service.calls.last?.isCancelled == true)
    }

    @Test func `A call is not carried out while too much is unread`() throws {
        let loopback = try Loopback(http2: Self.deaf(unreadBytesMax: 100_000))
        defer { loopback.close() }
        loopback.service.answer = { call, _ in call.respond(outcome: ByteBuffer(repeating: 7, count: 170_000)) }
        _ = try self.call(loopback)
        let refused = try self.call(loopback)
        #expect(refused.status == .tooManyUnreadBytes)
        #expect(loopback.service.calls.count == 1)
    }

    @Test func `What has happened is told, whatever waits`() throws {
        let loopback = try Loopback(http2: Self.deaf(unreadBytesMax: 100_000))
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        let calls = try (0..<3).map { _ in try self.call(loopback) }
        for served in loopback.service.calls { served.respond(outcome: ByteBuffer(repeating: 7, count: 100_000)) }
        for call in calls {
            call.consumes = true
            call.stream?.consume(call.body.count)
        }
        try loopback.run()
        for call in calls { call.stream?.consume(call.body.count) }
        try loopback.run()
        #expect(calls.map(\.status) == [.ok, .ok, .ok])
    }

    @Test func `Streams with nothing waiting wait for the others, and go on`() throws {
        let loopback = try Loopback(http2: Self.deaf(unreadBytesMax: 100_000))
        defer { loopback.close() }
        let calls = try (0..<6).map { _ in try self.call(loopback, TestService.bidirectional) }
        for handler in loopback.service.handlers {
            handler.whenWritable = { $0.call.finish(.ok) }
            if handler.call.isWritable { handler.call.send(ByteBuffer(repeating: 7, count: 60_000)) }
            try loopback.run()
        }
        #expect(self.unreadBytes(loopback) <= 160_000)
        let areWaiting = loopback.service.handlers.map { ($0.call.stream?.bufferedBytes ?? 0) > 0 }
        #expect(areWaiting == [true, true] + Array(repeating: false, count: 4))
        #expect(loopback.service.handlers.map(\.wakeUps) == [0, 0, 0, 0, 0, 0])
        for call in calls[..<2] {
            call.consumes = true
            call.stream?.consume(call.body.count)
            try loopback.run()
        }
        #expect(calls[0].body.count == 60_005)
        #expect(calls[2...].allSatisfy { $0.status == .ok })
        #expect(loopback.service.handlers.map(\.wakeUps) == [0, 0, 1, 1, 1, 1])
    }

    // MARK: Requests

    @Test func `The request of a call that waits counts until it is answered`() throws {
        var limits = GRPCServerLimits()
        limits.requestBytesMax = 1000
        let loopback = try Loopback(limits: limits)
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        let request = [UInt8](repeating: 1, count: 450)
        let calls = try (0..<3).map { _ in try self.call(loopback, TestService.unary, request) }
        #expect(calls.map(\.status) == [nil, nil, .tooManyRequestBytes])
        #expect(loopback.service.calls.count == 2)
        loopback.service.calls[0].respond(ByteBuffer())
        _ = try self.call(loopback, TestService.unary, request)
        #expect(loopback.service.calls.count == 3)
        // What a service holds besides counts as well.
        #expect(loopback.service.calls[1].hold(50))
        #expect(!loopback.service.calls[2].hold(200))
        #expect(loopback.service.calls[2].isCancelled)
    }

    @Test(arguments: [true, false])
    func `A call is not ended for what waits behind an outcome that is open`(isOpen: Bool) throws {
        var limits = GRPCServerLimits()
        limits.requestBytesMax = 1000
        let loopback = try Loopback(limits: limits)
        defer { loopback.close() }
        loopback.service.whenStarted = {
            $0.whenReceived = { handler, _ in
                handler.call.hasOpenOutcome = isOpen
                handler.call.pauseReading()
            }
        }
        let call = try loopback.raw(.call(TestService.bidirectional))
        call.stream?.sendData(ByteBuffer(bytes: framed([1]) + framed(Array(repeating: 2, count: 2000))))
        try loopback.run()
        #expect(call.status == (isOpen ? nil : .tooManyRequestBytes))
        let handler = loopback.service.handlers[0]
        handler.call.hasOpenOutcome = false
        handler.call.resumeReading()
        #expect(handler.messages.count == (isOpen ? 2 : 1))
    }

    @Test func `A call keeps of its headers what services read`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        let headers = HTTP2Headers.call(with: [("x-name", "value"), ("x-other", String(repeating: "x", count: 20_000))])
        let call = try loopback.raw(headers)
        call.stream?.sendData(ByteBuffer(bytes: framed([])))
        call.stream?.finish()
        try loopback.run()
        let served = loopback.service.calls[0]
        #expect(served.metadata.string("x-name") == "value")
        #expect(served.metadata.headers.count == 1)
        #expect(served.kept.held == served.metadata.headers.listBytes)
    }

    private static let limited = GRPCMethodDescriptor(service: "test.Service", method: "Limited", kind: .unary)

    @Test func `Messages are limited by method, on their prefix and when they are decompressed`() throws {
        let small = GRPCMethodDescriptor(service: "test.Service", method: "Small", kind: .unary)
        let loopback = try Loopback {
            $0.register(small, messageBytesMax: 1000, .unary { $0.respond($1) })
        }
        defer { loopback.close() }
        var deflater = try GzipDeflater()
        let announced = try loopback.raw(.call(small))
        announced.stream?.sendData(ByteBuffer(bytes: [0, 0, 0, 3, 0xE9]))
        try loopback.run()
        #expect(announced.status?.message == "Request payload size exceeds the limit: 1000 bytes.")
        #expect(try loopback.unary(small, Array(repeating: 1, count: 1000))?.get().count == 1000)
        let large = try deflater.deflate(ByteBuffer(repeating: 3, count: 1001), allocator: .init())
        let call = try loopback.raw(.call(small, with: [(.grpcEncoding, "gzip")]))
        call.stream?.sendData(ByteBuffer(bytes: framed(Array(large.readableBytesView), flag: 1)))
        call.stream?.finish()
        try loopback.run()
        #expect(call.status?.message == "Request payload size exceeds the limit: 1000 bytes.")
    }

    /// The first method carries documents: one of 1 MiB may repeat one byte.
    @Test(arguments: [
        (TestService.unary, 2 << 20, true), (TestService.unary, 4 << 20, false), (TestService.unary, 10 << 20, false),
        (Self.limited, 64 << 10, true), (Self.limited, 1 << 20, false), (Self.limited, 4 << 20, false),
    ])
    func `A message may become a hundred times as large as it came`(
        _ method: GRPCMethodDescriptor,
        _ count: Int,
        isTaken: Bool
    ) throws {
        let loopback = try Loopback {
            $0.register(Self.limited, messageBytesMax: 4 << 20, .unary { call, _ in call.respond(ByteBuffer()) })
        }
        defer { loopback.close() }
        loopback.service.answer = { call, _ in call.respond(ByteBuffer()) }
        var deflater = try GzipDeflater()
        let message = try deflater.deflate(ByteBuffer(repeating: 0, count: count), allocator: .init())
        let call = try loopback.raw(.call(method, with: [(.grpcEncoding, "gzip")]))
        call.stream?.sendData(ByteBuffer(bytes: framed(Array(message.readableBytesView), flag: 1)))
        call.stream?.finish()
        try loopback.run()
        #expect(call.status?.code == (isTaken ? .ok : .invalidArgument))
        #expect(loopback.service.calls.count == (isTaken && method == TestService.unary ? 1 : 0))
    }

    // MARK: The process

    @Test func `Connections share a budget, and small calls are answered when it is used up`() throws {
        let budget = ByteBudget(bytesMax: 1 << 20)
        let hostile = try (0..<4).map { _ in try Loopback(budget: budget) }
        var refused = 0
        for _ in 0..<20 {
            for loopback in hostile {
                let call = try loopback.raw(.call())
                call.stream?.sendData(ByteBuffer(bytes: framed(Array(repeating: 1, count: 60_000)).prefix(50_000)))
                try loopback.run()
                refused += call.status == .noRoom ? 1 : 0
            }
        }
        #expect(refused > 40)
        #expect(budget.drawnBytes <= budget.bytesMax)
        let late = try Loopback(budget: budget)
        #expect(try late.unary(TestService.unary, [1, 2, 3])?.get() == [1, 2, 3])
        let large = try late.unary(TestService.unary, Array(repeating: 1, count: 500_000))
        #expect(throws: GRPCCallResult.self) { try large?.get() }
        for loopback in hostile { loopback.close() }
        #expect(try late.unary(TestService.unary, Array(repeating: 1, count: 200_000))?.get().count == 200_000)
        late.close()
        #expect(budget.drawnBytes == 0)
    }

    @Test func `A stream that waits for another connection's room goes on when there is some`() throws {
        let budget = ByteBudget(bytesMax: 1 << 20)
        var http2 = Self.deaf()
        http2.excessBytesMax = 2 << 20
        let first = try Loopback(http2: http2, budget: budget)
        let second = try Loopback(budget: budget)
        defer { second.close() }
        first.service.answer = { call, _ in call.respond(outcome: ByteBuffer(repeating: 7, count: 1 << 20)) }
        _ = try self.call(first)
        let waiting = try second.raw(.call(TestService.bidirectional))
        let held = try second.raw(.call(TestService.bidirectional))
        try second.run()
        // All of the connection's own piece.
        second.service.handlers[0].call.stream?.account.add(20_000)
        #expect(!second.service.handlers[0].call.isWritable)
        #expect(!second.service.handlers[1].call.hold(1))
        try second.advance(by: .seconds(1))
        #expect(held.status == .noRoom)
        #expect(second.service.handlers[0].wakeUps == 0)
        first.close()
        try second.advance(by: .seconds(1))
        #expect(second.service.handlers[0].wakeUps == 1)
        #expect(waiting.status == nil)
        second.service.handlers[0].call.stream?.account.remove(20_000)
    }
}
