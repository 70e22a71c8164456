import NIOCore
import NIOPosix

package enum BenchRunner {
    /// Sets up, warms up, measures.
    ///
    /// - Throws: `BenchError` when the server cannot be reached or refuses the set-up.
    package static func run(_ plan: BenchPlan) async throws -> BenchReport {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.threads)
        do {
            let report = try await Self.run(plan, group: group)
            try await group.shutdownGracefully()
            return report
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func run(_ plan: BenchPlan, group: MultiThreadedEventLoopGroup) async throws -> BenchReport {
        let workload = try BenchWorkload(plan)
        var connections: [BenchConnection] = []
        for index in 0..<plan.connections {
            connections.append(
                try await BenchConnection.open(plan: plan, workload: workload, index: index + 1, group: group)
            )
        }
        try await connections[0].setUp()
        try await connections[0].settle()
        if case .counted = plan.pace { return try await Self.runCounted(connections) }
        for connection in connections { connection.start() }
        try await Task.sleep(for: plan.warmUp)
        for connection in connections { connection.record() }
        let clock = ContinuousClock()
        let start = clock.now
        try await Task.sleep(for: plan.duration)
        let reports = connections.map { $0.stop() }
        let duration = clock.now - start
        var total = try await Self.sum(reports)
        total.duration = duration
        return total
    }

    private static func runCounted(_ connections: [BenchConnection]) async throws -> BenchReport {
        let clock = ContinuousClock()
        let start = clock.now
        for connection in connections {
            connection.record()
            connection.start()
        }
        var total = try await Self.sum(connections.map { $0.end() })
        total.duration = clock.now - start
        return total
    }

    private static func sum(_ reports: [EventLoopFuture<BenchReport>]) async throws -> BenchReport {
        var total = BenchReport()
        for report in reports { total.add(try await report.get()) }
        return total
    }
}
