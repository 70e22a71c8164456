import BrasaSimulation
import Testing

@Suite("Simulation of log, store and transactions")
struct EngineSimulationTests {
    /// More: scripts/simulate --seeds N.
    @Test("the promises hold through crashes and faults", arguments: 0..<16)
    func promises(block: UInt64) throws {
        var report = EngineSimulation.Report()
        for seed in block * 16..<block * 16 + 16 {
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = 600
            do {
                report.add(try EngineSimulation.run(settings))
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(report.commits > 300)
        #expect(report.restarts > 10)
    }

    @Test("a seed decides everything")
    func determinism() throws {
        let settings = EngineSimulation.Settings(seed: 4_711)
        let reports = try (0..<2).map { _ in try EngineSimulation.run(settings).description }
        #expect(reports[0] == reports[1])
    }

    @Test("the checker notices a disk that lies about syncs")
    func lyingDisk() {
        let failures = (0..<64 as Range<UInt64>).compactMap { seed -> SimulationFailure? in
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = 600
            settings.diskLies = true
            do {
                try EngineSimulation.run(settings)
                return nil
            } catch {
                return error as? SimulationFailure
            }
        }
        #expect(failures.count >= 16)
        #expect(failures.contains { $0.promise == .durability })
    }
}
