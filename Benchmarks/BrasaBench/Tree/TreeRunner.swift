import NIOCore
import NIOPosix

package enum TreeRunner {
    /// Warms up, measures.
    ///
    /// - Throws: `BenchError` when the server cannot be reached.
    package static func write(_ plan: TreeWritePlan) async throws -> BenchReport {
        try await Self.withGroup { group in
            var writers: [TreeWriter] = []
            for index in 0..<plan.base.connections {
                let socket = try await TreeSocket.open(plan.base, on: group.next())
                writers.append(TreeWriter(plan, socket, index: index, on: group.next()))
            }
            for writer in writers { writer.start() }
            try await Task.sleep(for: plan.base.warmUp)
            for writer in writers { writer.record() }
            let clock = ContinuousClock()
            let start = clock.now
            try await Task.sleep(for: plan.base.duration)
            let reports = writers.map { $0.stop() }
            let duration = clock.now - start
            var total = BenchReport()
            for report in reports { total.add(try await report.get()) }
            total.duration = duration
            return total
        }
    }

    /// Sets up, subscribes, warms up, measures.
    ///
    /// - Throws: `BenchError` when the server cannot be reached, or a request fails.
    package static func listen(_ plan: TreeListenPlan) async throws -> ListenReport {
        try await Self.withGroup { group in
            let listening = TreeListening(plan, on: group.next())
            do {
                let report = try await Self.listen(plan, listening, group)
                listening.close()
                return report
            } catch {
                listening.measurement.abandon()
                throw error
            }
        }
    }

    private static func listen(
        _ plan: TreeListenPlan,
        _ listening: TreeListening,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> ListenReport {
        let server = plan.process.map { ServerProcess(id: $0) }
        try await listening.setUp(try await TreeSocket.open(plan.base, on: group.next())).get()
        let before = server?.residentBytes
        for index in 0..<plan.base.connections {
            let socket = try await TreeSocket.open(plan.base, on: group.next())
            listening.listen(socket, plan.listeners(onConnection: index))
        }
        try await listening.measurement.whenReady.get()
        let idle = server?.residentBytes
        listening.start()
        let (warmUp, duration) = (plan.base.warmUp, plan.base.duration)
        var report = try await listening.measurement.run(warmUp: warmUp, duration: duration, server)
        if let before, let idle, let after = server?.residentBytes {
            report.resident = ListenReport.Resident(before: before, listening: idle, after: after)
        }
        return report
    }

    /// Of one event loop: whoever measures takes one core.
    private static func withGroup<Report: Sendable>(
        _ body: (MultiThreadedEventLoopGroup) async throws -> Report
    ) async throws -> Report {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let report = try await body(group)
            try await group.shutdownGracefully()
            return report
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }
}
