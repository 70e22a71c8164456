import BrasaHTTP2
import BrasaStatus
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaGRPC

/// Our client and our server together.
@Suite struct CallTests {
    @Test func `Metadata and statuses travel both ways`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { call, _ in
            #expect(call.metadata.string("x-name") == "value")
            #expect(call.metadata.binary("x-blob-bin") == [0, 255])
            #expect(call.deadline == call.eventLoop.now + .seconds(60))
            var trailers = GRPCMetadata()
            trailers.append("x-back-bin", binary: [7, 8])
            call.finish(GRPCStatus(.failedPrecondition, "100% not met: Ü", details: [1, 2, 3]), trailers: trailers)
        }
        var metadata = GRPCMetadata()
        metadata.append("x-name", "value")
        metadata.append("x-blob-bin", binary: [0, 255])
        let outcome = try loopback.unary(metadata: metadata, timeout: .seconds(60))
        guard case .failure(let result) = outcome else { return #expect(Bool(false)) }
        #expect(result.status == GRPCStatus(.failedPrecondition, "100% not met: Ü", details: [1, 2, 3]))
        #expect(result.trailers.binary("x-back-bin") == [7, 8])
        #expect(!result.isSafeToRepeat && result.isAnswer)
    }

    @Test func `A stream of responses arrives in order and then its status`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.whenStarted = { handler in
            var metadata = GRPCMetadata()
            metadata.append("x-head", "1")
            handler.call.sendHeaders(metadata)
            for number in 0..<10 as Range<UInt8> { handler.call.send(ByteBuffer(bytes: [number])) }
            handler.call.finish(GRPCStatus(.aborted, "enough"))
        }
        let recorder = ResponseRecorder()
        loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(bytes: [9]),
            handler: recorder
        )
        try loopback.run()
        #expect(recorder.metadata.first?.string("x-head") == "1")
        #expect(recorder.messages == (0..<10).map { [$0] })
        #expect(recorder.results.map(\.status) == [GRPCStatus(.aborted, "enough")])
    }

    @Test func `Both sides talk until both have finished`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.whenStarted = { handler in
            handler.whenReceived = { handler, message in handler.call.send(message) }
            handler.whenHalfClosed = { $0.call.finish(.ok) }
        }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.bidirectional(loopback.grpc.request(TestService.bidirectional), handler: recorder)
        for number in 0..<5 as Range<UInt8> {
            call.send(ByteBuffer(bytes: [number]))
            try loopback.run()
            #expect(recorder.messages.last == [number])
        }
        call.halfClose()
        try loopback.run()
        #expect(recorder.results.map(\.status) == [.ok])
        #expect(loopback.service.handlers[0].cancellations == 0)
    }

    @Test func `Gzip goes in both directions when the client begins with it`() throws {
        let loopback = try Loopback(compressedRequestBytesMin: 100)
        defer { loopback.close() }
        let message = Array(repeating: UInt8(5), count: 100_000)
        #expect(try loopback.unary(TestService.unary, message)?.get() == message)
        #expect(try loopback.unary(TestService.unary, [1])?.get() == [1])
        let recorder = ResponseRecorder()
        loopback.service.whenStarted = {
            $0.call.send(ByteBuffer(bytes: message))
            $0.call.finish(.ok)
        }
        loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(bytes: message),
            handler: recorder
        )
        try loopback.run()
        #expect(recorder.metadata.first?.string(.grpcEncoding) == "gzip")
        #expect(recorder.messages == [message])
    }

    @Test func `A message framed once is the same on every call, compressed where gzip was begun with`() throws {
        for size in [0, 1, 5_000, 100_000] {
            let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let shared = GRPCFramedMessage { $0.writeBytes(message) }
            let other = GRPCFramedMessage { $0.writeBytes([7]) }
            let both = GRPCFramedMessages(shared, other)
            let around = GRPCFramedMessage(around: ByteBuffer(bytes: message)) {
                $0.writeBytes([1])
            } after: {
                $0.writeBytes([2, 3])
            }
            let bothAround = GRPCFramedMessages(around, around)
            for compressed in [false, true] {
                let loopback = try Loopback(compressedRequestBytesMin: compressed ? 1 : nil)
                defer { loopback.close() }
                loopback.service.whenStarted = {
                    $0.call.send(shared)
                    $0.call.send(shared)
                    $0.call.send(both)
                    $0.call.send(around)
                    $0.call.send(bothAround)
                    $0.call.finish(.ok)
                    $0.call.send(shared)
                    $0.call.send(both)
                    $0.call.flushIfMuch()
                }
                let recorder = ResponseRecorder()
                loopback.grpc.serverStreaming(
                    loopback.grpc.request(TestService.streaming),
                    ByteBuffer(repeating: 0, count: 10),
                    handler: recorder
                )
                try loopback.run()
                #expect(recorder.metadata.first?.string(.grpcEncoding) == (compressed ? "gzip" : nil))
                let inTheMiddle = [1] + message + [2, 3]
                #expect(
                    recorder.messages == [message, message, message, [7], inTheMiddle, inTheMiddle, inTheMiddle]
                )
                #expect(recorder.results.map(\.status) == [.ok])
            }
        }
    }

    @Test(arguments: [[], [3], [0, 1, 5_000, 0, 100_000, 2]], [false, true])
    func `Messages that are sent at once arrive one by one, compressed where gzip was begun with`(
        sizes: [Int],
        compressed: Bool
    ) throws {
        let messages = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) } }
        let loopback = try Loopback(compressedRequestBytesMin: compressed ? 1 : nil)
        defer { loopback.close() }
        var counts: [Int] = []
        loopback.service.whenStarted = { started in
            for _ in 0..<2 {
                counts.append(started.call.send(messages.count, capacity: 10) { $1.writeBytes(messages[$0]) })
            }
            started.call.finish(.ok)
            counts.append(started.call.send(messages.count, capacity: 10) { $1.writeBytes(messages[$0]) })
        }
        let recorder = ResponseRecorder()
        loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(repeating: 0, count: 10),
            handler: recorder
        )
        try loopback.run()
        #expect(recorder.messages == messages + messages)
        #expect(recorder.results.map(\.status) == [.ok])
        #expect(counts[0] >= sizes.reduce(0, +) && counts[0] == counts[1])
    }

    @Test(arguments: [[], [3], [0, 1, 5_000, 0, 100_000, 2]], [false, true])
    func `Messages that are written where they are sent from arrive one by one, compressed where gzip was begun with`(
        sizes: [Int],
        compressed: Bool
    ) throws {
        let messages = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) } }
        let total = sizes.reduce(0, +)
        let loopback = try Loopback(compressedRequestBytesMin: compressed ? 1 : nil)
        defer { loopback.close() }
        var counts: [Int] = []
        let send = { (call: GRPCServerCall, spare: Int) in
            counts.append(
                call.send(messages.count, bytesMost: total + spare) { number, memory in
                    memory.copyBytes(from: messages[number])
                    return messages[number].count
                }
            )
        }
        loopback.service.whenStarted = { started in
            for spare in [0, 10_000] { send(started.call, spare) }
            started.call.finish(.ok)
            send(started.call, 0)
        }
        let recorder = ResponseRecorder()
        loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(repeating: 0, count: 10),
            handler: recorder
        )
        try loopback.run()
        #expect(recorder.messages == messages + messages)
        #expect(recorder.results.map(\.status) == [.ok])
        #expect(counts == [total + 5 * sizes.count, total + 5 * sizes.count, 0])
    }

    @Test func `A deadline ends the call on both sides, at its time and not before`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        // A raw client has no deadline of its own, so the status is the server's.
        let call = try loopback.raw(.call(TestService.bidirectional, with: [(.grpcTimeout, "250m")]))
        let longer = try loopback.raw(.call(TestService.bidirectional, with: [(.grpcTimeout, "60S")]))
        let shorter = try loopback.raw(.call(TestService.bidirectional, with: [(.grpcTimeout, "10m")]))
        try loopback.run()
        try loopback.advance(by: .milliseconds(10))
        #expect(shorter.status?.code == .deadlineExceeded)
        #expect(shorter.closed == .finished)
        try loopback.advance(by: .milliseconds(239))
        #expect(call.status == nil)
        try loopback.advance(by: .milliseconds(1))
        #expect(call.status?.code == .deadlineExceeded)
        #expect(loopback.service.handlers.map(\.cancellations) == [1, 0, 1])
        try loopback.advance(by: .seconds(60))
        #expect(longer.status?.code == .deadlineExceeded)
    }

    @Test func `A client's own deadline does not wait for the server`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { _, _ in }
        var outcome: Result<ByteBuffer, GRPCCallResult>?
        loopback.grpc.unary(TestService.unary, ByteBuffer(), timeout: .milliseconds(5)) { outcome = $0 }
        try loopback.run()
        loopback.loop.advanceTime(by: .milliseconds(5))
        guard case .failure(let result) = outcome else { return #expect(Bool(false)) }
        #expect(result.status.code == .deadlineExceeded)
        try loopback.run()
        #expect(loopback.service.calls[0].isCancelled)
        #expect(loopback.serverHTTP2.openStreams == 0)
    }

    @Test func `Cancelling tells the other side`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.bidirectional(loopback.grpc.request(TestService.bidirectional), handler: recorder)
        try loopback.run()
        call.cancel()
        #expect(recorder.results.map(\.status.code) == [.cancelled])
        try loopback.run()
        #expect(loopback.service.handlers[0].cancellations == 1)
        #expect(recorder.results.count == 1)
        #expect(loopback.serverHTTP2.openStreams == 0)
    }

    @Test func `A paused service pushes back on the client, and nothing is lost`() throws {
        var http2 = HTTP2Limits()
        http2.streamWindowBytes = 64 << 10
        let loopback = try Loopback(http2: http2)
        defer { loopback.close() }
        loopback.service.whenStarted = { $0.call.pauseReading() }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.bidirectional(loopback.grpc.request(TestService.bidirectional), handler: recorder)
        var sent = 0
        func fill() {
            while sent < 2000, call.isWritable {
                call.send(ByteBuffer(bytes: Array(repeating: UInt8(truncatingIfNeeded: sent), count: 1000)))
                sent += 1
            }
            if sent == 2000 { call.halfClose() }
        }
        recorder.whenWritable = fill
        fill()
        try loopback.run()
        #expect(sent < 400)
        let handler = loopback.service.handlers[0]
        #expect(handler.messages.isEmpty)
        handler.whenReceived = { handler, _ in
            if handler.messages.count == 10 { handler.call.pauseReading() }
        }
        handler.call.resumeReading()
        try loopback.run()
        #expect(handler.messages.count == 10)
        handler.call.resumeReading()
        try loopback.run()
        #expect(sent == 2000)
        #expect(handler.messages.map(\.first) == (0..<2000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(handler.halfCloses == 1)
        #expect(recorder.wakeUps > 0)
    }

    @Test func `A paused client pushes back on the service, and nothing is lost`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        var sent = 0
        func fill(_ handler: RecordingHandler) {
            while sent < 3000, handler.call.isWritable {
                handler.call.send(ByteBuffer(bytes: Array(repeating: 1, count: 1000)))
                sent += 1
            }
            if sent == 3000, !handler.call.isFinished { handler.call.finish(.ok) }
        }
        loopback.service.whenStarted = { handler in
            handler.whenWritable = { fill($0) }
            fill(handler)
        }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(),
            handler: recorder
        )
        call.pauseReading()
        try loopback.run()
        #expect(sent < 1000)
        #expect(recorder.messages.isEmpty)
        call.resumeReading()
        try loopback.run()
        #expect(sent == 3000)
        #expect(recorder.bytes == 3_000_000)
        #expect(recorder.results.map(\.status) == [.ok])
    }

    @Test func `A caller that pauses before the end still gets everything`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.whenStarted = { handler in
            handler.call.send(ByteBuffer(bytes: [1]))
            handler.call.send(ByteBuffer(bytes: [2]))
            handler.call.finish(.ok)
        }
        let recorder = ResponseRecorder()
        let call = loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(),
            handler: recorder
        )
        recorder.whenReceived = { _ in call.pauseReading() }
        try loopback.run()
        #expect(recorder.messages == [[1]])
        #expect(recorder.results.isEmpty)
        call.resumeReading()
        call.resumeReading()
        #expect(recorder.messages == [[1], [2]])
        #expect(recorder.results.map(\.status) == [.ok])
    }

    @Test func `Responses over the client's limit are RESOURCE_EXHAUSTED`() throws {
        let loopback = try Loopback(messageBytesMax: 10)
        defer { loopback.close() }
        loopback.service.answer = { call, _ in call.respond(ByteBuffer(bytes: Array(repeating: 1, count: 11))) }
        guard case .failure(let result) = try loopback.unary() else { return #expect(Bool(false)) }
        #expect(result.status.code == .resourceExhausted)
    }

    @Test func `A unary answer without a message is no success`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.service.answer = { call, _ in call.finish(.ok) }
        guard case .failure(let result) = try loopback.unary() else { return #expect(Bool(false)) }
        #expect(result.status == .noResponseMessage)
        loopback.service.answer = { call, message in
            call.send(message)
            call.respond(message)
        }
        guard case .failure(let second) = try loopback.unary() else { return #expect(Bool(false)) }
        #expect(second.status == .secondResponseMessage)
    }

    @Test func `What the server never took is safe to repeat`() throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        loopback.serverHTTP2.drain(grace: .seconds(1))
        try loopback.run()
        guard case .failure(let refused) = try loopback.unary() else { return #expect(Bool(false)) }
        #expect(refused.status.code == .unavailable)
        #expect(refused.isSafeToRepeat)
    }

    @Test func `A lost connection ends its calls as UNAVAILABLE and not safe to repeat`() throws {
        let loopback = try Loopback()
        loopback.service.answer = { _, _ in }
        var outcome: Result<ByteBuffer, GRPCCallResult>?
        loopback.grpc.unary(TestService.unary, ByteBuffer(), timeout: .seconds(9)) { outcome = $0 }
        try loopback.run()
        loopback.close()
        guard case .failure(let result) = outcome else { return #expect(Bool(false)) }
        #expect(result.status.code == .unavailable)
        #expect(!result.isSafeToRepeat && !result.isAnswer)
        #expect(loopback.service.calls[0].isCancelled)
    }
}
