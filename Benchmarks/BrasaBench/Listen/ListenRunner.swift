import BrasaGRPC
import NIOCore
import NIOPosix

package enum ListenRunner {
    /// Small, so that a listener who stalls is soon the server's problem and not the window's.
    private static let streamWindowBytes = 64 << 10

    /// Sets up, subscribes, warms up, measures.
    ///
    /// - Throws: `BenchError` when the server cannot be reached, or a call fails.
    package static func run(_ plan: ListenPlan) async throws -> ListenReport {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let bench = try ListenBench(plan, on: group.next())
            do {
                let report = try await Self.run(plan, bench, group: group)
                bench.close()
                try await group.shutdownGracefully()
                return report
            } catch {
                bench.measurement.abandon()
                throw error
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func run(
        _ plan: ListenPlan,
        _ bench: ListenBench,
        group: MultiThreadedEventLoopGroup
    ) async throws -> ListenReport {
        let server = plan.process.map { ServerProcess(id: $0) }
        try await Self.open(plan, group, stalled: 0) { bench.setUp($0, $1) }.get()
        let before = server?.residentBytes
        for index in 0..<plan.connections {
            let share = plan.share(ofConnection: index)
            try await Self.open(plan, group, stalled: share.stalled) { bench.listen($0, $1, share) }
        }
        try await bench.whenReady().get()
        let listening = server?.residentBytes
        bench.start()
        var report = try await bench.measurement.run(warmUp: plan.warmUp, duration: plan.duration, server)
        if let before, let listening, let after = server?.residentBytes {
            report.resident = ListenReport.Resident(before: before, listening: listening, after: after)
        }
        return report
    }

    private static func open<Made: Sendable>(
        _ plan: ListenPlan,
        _ group: MultiThreadedEventLoopGroup,
        stalled: Int,
        make: @escaping @Sendable (GRPCClientConnection, any Channel) -> Made
    ) async throws -> Made {
        try await BenchChannel.open(
            host: plan.host,
            port: plan.port,
            group: group,
            streamWindowBytes: Self.streamWindowBytes,
            // Streams that stall keep their windows' bytes: what the connection allows must last for the others.
            connectionWindowBytes: (4 << 20) + stalled * Self.streamWindowBytes,
            make: make
        )
    }
}

extension ListenMeasurement {
    /// To be called when the changes have begun.
    func run(warmUp: Duration, duration: Duration, _ server: ServerProcess?) async throws -> ListenReport {
        try await Task.sleep(for: warmUp)
        self.record()
        let clock = ContinuousClock()
        let (start, processorStart) = (clock.now, server?.processorTimes)
        try await Task.sleep(for: duration)
        let stopped = self.stop()
        let (measured, processorEnd) = (clock.now - start, server?.processorTimes)
        var report = try await stopped.get()
        report.duration = measured
        if let processorStart, let processorEnd {
            report.processor = ListenReport.Processor(
                server: processorEnd.server - processorStart.server,
                generator: processorEnd.generator - processorStart.generator
            )
        }
        return report
    }
}
