import BrasaHTTP2
import NIOCore
import Testing

@testable import BrasaGRPC

/// Clients that do anything in any order, on connections that share one budget.
@Suite struct BudgetBalanceTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return self.state ^ self.state >> 29
        }
    }

    private let budget = ByteBudget(bytesMax: 2 << 20)

    private func connect() throws -> Loopback {
        var http2 = HTTP2Limits()
        http2.streamWindowBytes = 4096
        http2.connectionUnreadBytesMax = 300_000
        var limits = GRPCServerLimits()
        limits.requestBytesMax = 300_000
        let loopback = try Loopback(limits: limits, http2: http2, budget: self.budget)
        loopback.service.answer = { _, _ in }
        loopback.service.whenStarted = { $0.whenHalfClosed = { $0.call.finish(.ok) } }
        return loopback
    }

    private func act(_ loopback: Loopback, _ calls: inout [RawCall], _ random: inout Generator) throws {
        let count = Int.random(in: 0...40_000, using: &random)
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1:
            let methods = [TestService.unary, TestService.streaming, TestService.bidirectional]
            guard let method = methods.randomElement(using: &random) else { return }
            let call = try loopback.raw(.call(method, with: [("x-name", String(repeating: "n", count: count / 10))]))
            call.consumes = .random(using: &random)
            calls.append(call)
        case 2, 3:
            let call = calls.randomElement(using: &random)
            guard let call, call.closed == nil, call.stream?.isClosed == false, !call.isEnded else { return }
            let message = framed(Array(repeating: 1, count: count))
            call.stream?.sendData(ByteBuffer(bytes: message.prefix(.random(in: 0...message.count, using: &random))))
        case 4:
            guard let call = calls.randomElement(using: &random), !call.isEnded else { return }
            call.isEnded = true
            call.stream?.finish()
        case 5:
            calls.randomElement(using: &random)?.stream?.reset(.cancel)
        case 6:
            let served = loopback.service.calls.randomElement(using: &random)
            if Bool.random(using: &random) {
                served?.respond(ByteBuffer(repeating: 2, count: count))
            } else {
                served?.respond(outcome: ByteBuffer(repeating: 2, count: count))
            }
        case 7:
            _ = loopback.service.calls.randomElement(using: &random)?.hold(count)
        case 8:
            let handler = loopback.service.handlers.randomElement(using: &random)
            if Bool.random(using: &random) { handler?.call.pauseReading() } else { handler?.call.resumeReading() }
            if handler?.call.isWritable == true { handler?.call.send(ByteBuffer(repeating: 3, count: count)) }
        case 9:
            guard let call = calls.randomElement(using: &random) else { return }
            call.consumes = true
            call.stream?.consume(call.body.count)
        default:
            try loopback.advance(by: .seconds(.random(in: 0...30, using: &random)))
        }
        try loopback.run()
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `What was drawn is given back, whatever calls and connections come to`(_ seed: UInt64) throws {
        var random = Generator(state: seed &* 7919 &+ 1)
        for _ in 0..<3 {
            var connections: [(loopback: Loopback, calls: [RawCall])] = []
            for _ in 0..<4 { connections.append((try self.connect(), [])) }
            for _ in 0..<300 {
                let index = Int.random(in: 0..<connections.count, using: &random)
                try self.act(connections[index].loopback, &connections[index].calls, &random)
            }
            // Calls that ended keep nothing, on connections that are still open.
            for connection in connections {
                for call in connection.calls { call.stream?.reset(.cancel) }
                try connection.loopback.run()
            }
            #expect(self.budget.drawnBytes == connections.count * (16 << 10))
            for connection in connections {
                if Bool.random(using: &random) { connection.loopback.serverHTTP2.drain(grace: .seconds(1)) }
                connection.loopback.close()
            }
            #expect(self.budget.drawnBytes == 0)
        }
    }
}
