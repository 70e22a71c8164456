package enum ClientRunner {
    /// Sets up, warms up, measures.
    ///
    /// - Throws: `BenchError` when the set-up fails.
    package static func run(_ plan: ClientPlan) async throws -> ClientReport {
        let sessions = try (0..<plan.clients).map { _ in try ClientSession(plan) }
        do {
            try await sessions[0].write()
            for session in sessions { try await session.prepare() }
        } catch {
            throw BenchError("set-up: \(error)")
        }
        let report = try await ClientMeter.measure(
            sessions.map { $0.call },
            tasks: plan.tasks,
            calls: plan.calls,
            warmUp: plan.warmUp,
            duration: plan.duration
        )
        for session in sessions { try await session.close() }
        return report
    }
}
