import Testing

@testable import BrasaHTTP2

/// How the two directions of a stream go from phase to phase: every event in every phase.
@Suite struct StreamPhaseTests {
    /// A phase, an event, the phase after it, and whether it was taken.
    private typealias Sent = (HTTP2Sending, Bool)

    @Test(arguments: HTTP2Sending.allCases)
    func `Our message begins once, is completed once, and then ends`(_ phase: HTTP2Sending) {
        let (begun, ended, completed, submitted): (Sent, Sent, Sent, HTTP2Sending) =
            switch phase {
            case .fresh: ((.body, true), (.whole, true), (.fresh, false), .fresh)
            case .body: ((.body, false), (.body, false), (.whole, true), .body)
            case .whole: ((.whole, false), (.whole, false), (.whole, false), .trailersSubmitted)
            case .trailersSubmitted, .ended: ((phase, false), (phase, false), (phase, false), phase)
            }
        #expect(self.after(phase) { $0.begin(endStream: false) } == begun)
        #expect(self.after(phase) { $0.begin(endStream: true) } == ended)
        #expect(self.after(phase) { $0.complete() } == completed)
        var phase = phase
        phase.trailersWereSubmitted()
        #expect(phase == submitted)
        phase.endWasSent()
        #expect(phase == .ended)
    }

    private func after(_ phase: HTTP2Sending, _ event: (inout HTTP2Sending) -> Bool) -> Sent {
        var phase = phase
        let isTaken = event(&phase)
        return (phase, isTaken)
    }

    @Test func `What is in our hands takes nothing more, and gives data until the trailers are on their way`() {
        #expect(HTTP2Sending.allCases.filter(\.isWhole) == [.whole, .trailersSubmitted, .ended])
        #expect(HTTP2Sending.allCases.filter(\.mayHaveData) == [.body, .whole])
    }

    struct Received: Sendable {
        let phase: HTTP2Receiving
        let afterHeaders, afterEnd, afterReset: HTTP2Receiving
        let isWhole, isOver: Bool
    }

    private static let received = [
        Received(
            phase: .headersAwaited,
            afterHeaders: .body,
            afterEnd: .whole,
            afterReset: .reset(isWhole: false),
            isWhole: false,
            isOver: false
        ),
        Received(
            phase: .body,
            afterHeaders: .body,
            afterEnd: .whole,
            afterReset: .reset(isWhole: false),
            isWhole: false,
            isOver: false
        ),
        Received(
            phase: .whole,
            afterHeaders: .whole,
            afterEnd: .whole,
            afterReset: .reset(isWhole: true),
            isWhole: true,
            isOver: true
        ),
        Received(
            phase: .reset(isWhole: false),
            afterHeaders: .reset(isWhole: false),
            afterEnd: .reset(isWhole: false),
            afterReset: .reset(isWhole: false),
            isWhole: false,
            isOver: true
        ),
        Received(
            phase: .reset(isWhole: true),
            afterHeaders: .reset(isWhole: true),
            afterEnd: .reset(isWhole: true),
            afterReset: .reset(isWhole: true),
            isWhole: true,
            isOver: true
        ),
    ]

    @Test(arguments: Self.received)
    func `The peer's message only goes on, and a reset remembers whether it was whole`(_ row: Received) {
        #expect(self.after(row.phase) { $0.headersCame() } == row.afterHeaders)
        #expect(self.after(row.phase) { $0.endCame() } == row.afterEnd)
        #expect(self.after(row.phase) { $0.resetCame() } == row.afterReset)
        #expect(row.phase.isWhole == row.isWhole)
        #expect(row.phase.isOver == row.isOver)
    }

    private func after(_ phase: HTTP2Receiving, _ event: (inout HTTP2Receiving) -> Void) -> HTTP2Receiving {
        var phase = phase
        event(&phase)
        return phase
    }

    @Test func `A phase takes a byte`() {
        #expect(MemoryLayout<HTTP2Sending>.size == 1)
        #expect(MemoryLayout<HTTP2Receiving>.size == 1)
    }
}
