import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

/// What is told of a call that is over.
@Suite struct ReportTests {
    // Everything runs on the test's thread.
    private final class Reports: @unchecked Sendable {
        private(set) var list: [GRPCCallReport] = []

        var observer: GRPCCallObserver {
            GRPCCallObserver(slowMin: .hours(1), isWorth: { _ in true }, observe: { self.list.append($1) })
        }
    }

    // MARK: Bytes

    /// How a service may send.
    enum Way: CaseIterable {
        case inPlace, copied, inTwoPieces, several, written, shared, around, pair

        func answer(_ call: GRPCServerCall) {
            switch self {
            case .inPlace:
                var message = call.makeMessageBuffer(capacity: 10)
                message.writeBytes([1, 2, 3])
                call.send(message)
            case .copied: call.send(ByteBuffer(bytes: [1, 2, 3]))
            case .inTwoPieces: call.send(ByteBuffer(repeating: 1, count: 10_000))
            case .several: _ = call.send(3, capacity: 30) { $1.writeInteger($0) }
            case .written:
                _ = call.send(3, bytesMost: 3) { number, memory in
                    memory[0] = UInt8(number)
                    return 1
                }
            case .shared: call.send(Self.whole)
            case .around: call.send(Self.parted)
            case .pair: call.send(GRPCFramedMessages(Self.whole, Self.parted))
            }
            call.finish(.ok)
        }

        private static let whole = GRPCFramedMessage { $0.writeBytes([1, 2, 3]) }
        private static let parted = GRPCFramedMessage(
            around: ByteBuffer(bytes: [4, 5]),
            before: { $0.writeInteger(3 as UInt8) },
            after: { $0.writeInteger(6 as UInt8) }
        )
    }

    @Test(arguments: Way.allCases, [false, true])
    func `Bytes are those that went over the stream, however a response is sent`(
        _ way: Way,
        isCompressed: Bool
    ) throws {
        let reports = Reports()
        var limits = GRPCServerLimits()
        limits.compressedResponseBytesMin = 0
        let loopback = try Loopback(limits: limits, observer: reports.observer)
        defer { loopback.close() }
        loopback.service.answer = { call, _ in way.answer(call) }
        let gzip = [(name: HTTP2HeaderName.grpcEncoding, value: "gzip"), (.grpcAcceptEncoding, "gzip")]
        let call = try loopback.raw(.call(with: isCompressed ? gzip : []))
        let request = framed([1, 2, 3])
        for part in [request[..<4], request[4...]] { call.stream?.sendData(ByteBuffer(bytes: part)) }
        call.stream?.finish()
        try loopback.run()
        #expect(call.status == .ok && !call.body.isEmpty)
        #expect(call.headers?.contains(.grpcEncoding) == isCompressed)
        #expect(reports.list.map(\.requestBytes) == [request.count])
        #expect(reports.list.map(\.responseBytes) == [call.body.count])
    }

    // MARK: The server stops

    @Test(arguments: [
        (StatusCode.unavailable, true), (.ok, false), (.notFound, false),
    ])
    func `A stream that ends with UNAVAILABLE because the server stops is told as drained`(
        _ code: StatusCode,
        isDrained: Bool
    ) throws {
        let reports = Reports()
        let loopback = try Loopback(observer: reports.observer)
        defer { loopback.close() }
        loopback.service.whenStarted = { handler in
            handler.whenDraining = { $0.call.finish(GRPCStatus(code)) }
        }
        _ = try loopback.raw(.call(TestService.bidirectional))
        try loopback.run()
        loopback.serverHTTP2.drain(grace: .seconds(1))
        try loopback.run()
        #expect(reports.list.map(\.status) == [code])
        #expect(reports.list.map(\.isDrained) == [isDrained])
    }

    @Test(arguments: [false, true])
    func `What the grace cuts off is told as drained, but not when its outcome is open`(isOutcomeOpen: Bool) throws {
        let reports = Reports()
        let loopback = try Loopback(observer: reports.observer)
        defer { loopback.close() }
        loopback.service.answer = { call, _ in call.hasOpenOutcome = isOutcomeOpen }
        let call = try loopback.raw(.call())
        call.stream?.sendData(ByteBuffer(bytes: framed([1])))
        call.stream?.finish()
        try loopback.run()
        loopback.serverHTTP2.drain(grace: .seconds(1))
        try loopback.advance(by: .seconds(1))
        #expect(reports.list.map(\.status) == [isOutcomeOpen ? .dataLoss : .unavailable])
        #expect(reports.list.map(\.isDrained) == [!isOutcomeOpen])
    }

    @Test func `UNAVAILABLE of a server that goes on is the service's`() throws {
        let reports = Reports()
        let loopback = try Loopback(observer: reports.observer)
        defer { loopback.close() }
        loopback.service.answer = { call, _ in call.finish(GRPCStatus(.unavailable)) }
        _ = try loopback.unary()
        #expect(reports.list.map(\.isDrained) == [false])
    }
}
