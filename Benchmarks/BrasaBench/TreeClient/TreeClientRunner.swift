package enum TreeClientRunner {
    /// Sets up, warms up, measures.
    ///
    /// - Throws: `BenchError` when the set-up fails.
    package static func run(_ plan: TreeClientPlan) async throws -> ClientReport {
        let session = try TreeClientSession(plan)
        do {
            try await session.prepare()
        } catch {
            await session.close()
            throw BenchError("set-up: \(error)")
        }
        let report = try await plan.work.isFollowing ? self.follow(plan, session) : self.call(plan, session)
        await session.close()
        return report
    }

    private static func call(_ plan: TreeClientPlan, _ session: TreeClientSession) async throws -> ClientReport {
        try await ClientMeter.measure(
            [session.call],
            tasks: plan.tasks,
            warmUp: plan.warmUp,
            duration: plan.duration
        )
    }

    private static func follow(_ plan: TreeClientPlan, _ session: TreeClientSession) async throws -> ClientReport {
        let meter = ClientMeter()
        try await session.follow(meter)
        return try await meter.run(warmUp: plan.warmUp, duration: plan.duration, patience: self.patience)
    }

    /// For the first event, where nobody may write.
    private static let patience = Duration.seconds(30)
}
