import BrasaSimulation
import Testing

/// One node whose commits a simulated shared log makes durable, under the same checker as one with files.
@Suite("Simulation of a node on a shared log")
struct SharedLogSimulationTests {
    private func settings(_ seed: UInt64, _ mutation: SimulatedSharedLog.Mutation? = nil) -> EngineSimulation.Settings {
        var settings = EngineSimulation.Settings(seed: seed)
        settings.steps = 600
        settings.log = .shared(mutation)
        return settings
    }

    @Test("the promises hold through crashes, lost answers and requests, repeats and refusals")
    func promises() {
        var report = EngineSimulation.Report()
        for seed in 0..<48 as Range<UInt64> {
            do {
                report.add(try EngineSimulation.run(self.settings(seed)))
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(report.commits > 500 && report.indexReads > 0)
        #expect(report.restarts > 50 && report.checkpoints > 0)
        #expect(report.snapshots > 0 && report.resumptions > 0)
        #expect(report.failedLogs == 0)
    }

    @Test("a seed decides everything")
    func determinism() throws {
        let reports = try (0..<2).map { _ in try EngineSimulation.run(self.settings(4_711)).description }
        #expect(reports[0] == reports[1])
    }

    @Test(
        "the checker notices a log that breaks its rules",
        arguments: [.forgetsNewestFrame, .ignoresEpochs, .appendsRepeats] as [SimulatedSharedLog.Mutation]
    )
    func mutations(_ mutation: SimulatedSharedLog.Mutation) {
        let failures = (0..<96 as Range<UInt64>).compactMap { seed -> SimulationFailure? in
            do {
                try EngineSimulation.run(self.settings(seed, mutation))
                return nil
            } catch {
                return error as? SimulationFailure
            }
        }
        // Not by a lucky seed.
        #expect(failures.count >= 16, "\(mutation): \(failures.count)")
    }
}
