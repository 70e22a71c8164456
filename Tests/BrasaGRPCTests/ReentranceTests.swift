import BrasaHTTP2
import BrasaStatus
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaGRPC

/// Handlers of calls hear of much within nghttp2's callbacks. What they do there has its turn, and runs no session again.
@Suite struct ReentranceTests {
    enum Moment: CaseIterable {
        case metadata, message, answered, refused
    }

    /// Acts once, at its moment.
    private final class Actor: GRPCClientResponseHandler {
        private let moment: Moment
        private var act: (() -> Void)?

        init(_ moment: Moment, _ act: @escaping () -> Void) {
            self.moment = moment
            self.act = act
        }

        private func reach(_ isMoment: Bool) {
            guard isMoment, let act = self.act else { return }
            self.act = nil
            act()
        }

        var hasActed: Bool { self.act == nil }

        func received(metadata: GRPCMetadata) { self.reach(self.moment == .metadata) }
        func received(message: ByteBuffer) { self.reach(self.moment == .message) }
        func finished(_ result: GRPCCallResult) { self.reach(true) }
    }

    @Test(arguments: Moment.allCases)
    func `Whatever it is told, a call's handler may begin and cancel calls`(_ moment: Moment) throws {
        let loopback = try Loopback()
        defer { loopback.close() }
        let others = [ResponseRecorder(), ResponseRecorder()]
        let talks = others.map {
            loopback.grpc.bidirectional(loopback.grpc.request(TestService.bidirectional), handler: $0)
        }
        try loopback.run()
        loopback.service.whenStarted = { handler in
            switch moment {
            case .metadata: handler.call.sendHeaders()
            case .message: handler.call.send(ByteBuffer(bytes: [1]))
            case .answered:
                handler.call.send(ByteBuffer(bytes: [1]))
                handler.call.finish(.ok)
            case .refused: handler.call.finish(GRPCStatus(.aborted, "no"))
            }
        }
        var answers: [[UInt8]] = []
        let actor = Actor(moment) {
            talks[0].cancel()
            // Each answer begins another call.
            loopback.grpc.unary(TestService.unary, ByteBuffer(bytes: [7])) { first in
                answers.append((try? first.get()).map { Array($0.readableBytesView) } ?? [])
                talks[1].send(ByteBuffer(bytes: [5]))
                loopback.grpc.unary(TestService.unary, ByteBuffer(bytes: [8])) { second in
                    answers.append((try? second.get()).map { Array($0.readableBytesView) } ?? [])
                }
            }
        }
        loopback.grpc.serverStreaming(
            loopback.grpc.request(TestService.streaming),
            ByteBuffer(bytes: [9]),
            handler: actor
        )
        try loopback.run()
        #expect(actor.hasActed)
        #expect(answers == [[7], [8]])
        #expect(others[0].results.map(\.status.code) == [.cancelled])
        #expect(others[1].results.isEmpty)
        #expect(loopback.service.handlers[1].messages == [[5]])
    }
}
