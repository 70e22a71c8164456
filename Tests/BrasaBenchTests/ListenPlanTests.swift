import Testing

@testable import BrasaBench

extension ListenPlan {
    static func sample(
        peer: Peer = .firestore,
        subject: Subject = .document,
        listeners: Int = 10,
        connections: Int = 2,
        stalled: Int = 0,
        stalledConnections: Int = 0,
        documentBytes: Int = 150
    ) -> ListenPlan {
        ListenPlan(
            host: "127.0.0.1",
            port: 1,
            peer: peer,
            subject: subject,
            pace: .closed,
            listeners: listeners,
            connections: connections,
            stalled: stalled,
            stalledConnections: stalledConnections,
            documentBytes: documentBytes,
            warmUp: .zero,
            duration: .zero,
            process: nil
        )
    }
}

@Suite struct ListenPlanTests {
    @Test(arguments: [(10, 2, 0), (10, 3, 4), (7, 10, 3), (10_000, 100, 1), (10_000, 100, 9_999), (5, 1, 5)])
    func `listeners and those that stall are spread evenly, and none is lost`(
        listeners: Int,
        connections: Int,
        stalled: Int
    ) {
        let plan = ListenPlan.sample(listeners: listeners, connections: connections, stalled: stalled)
        let shares = (0..<connections).map { plan.share(ofConnection: $0) }
        #expect(shares.map(\.listeners).reduce(0, +) == listeners)
        #expect(shares.map(\.stalled).reduce(0, +) == stalled)
        #expect(shares.allSatisfy { $0.stalled <= $0.listeners })
        let counts = shares.map(\.listeners)
        #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
        #expect(plan.reading == listeners - stalled)
    }

    @Test func `nobody reads on connections that are not read`() {
        let plan = ListenPlan.sample(listeners: 12, connections: 4, stalled: 4, stalledConnections: 1)
        #expect((0..<4).map { plan.share(ofConnection: $0).isStalled } == [false, false, false, true])
        #expect(plan.share(ofConnection: 0).reading == 2)
        #expect(plan.share(ofConnection: 3).reading == 0)
        #expect(plan.reading == 6)
    }

    @Test func `the resident memory is read from the status of a process`() {
        let status = "Name:\tbrasa\nVmHWM:\t  999 kB\nVmRSS:\t   31744 kB\nThreads:\t8\n"
        #expect(ProcessStatus.residentBytes(status) == 31_744 * 1024)
        for other in ["", "VmRSS:\t\n", "VmRSS:\tmany kB\n", "VmRSS:\t31744 MB\n", "Name:\tVmRSS:\n"] {
            #expect(ProcessStatus.residentBytes(other) == nil)
        }
    }
    @Test func `the processor time is read from the stat of a process`() {
        let rest = " R 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20"
        for name in ["brasa", "a (b) c", ") 1 2"] {
            #expect(ProcessStatus.processorTime("7 (\(name))\(rest)", ticksPerSecond: 100) == .seconds(3))
        }
        for other in ["", "7 (brasa)", "7 (brasa) R 1 2 3", "7 (brasa)" + rest.replacing("250", with: "many")] {
            #expect(ProcessStatus.processorTime(other, ticksPerSecond: 100) == nil)
        }
    }
}
