import BrasaSimulation
import Testing

@Suite("Simulation of log, store, transactions and listeners")
struct EngineSimulationTests {
    /// More: scripts/simulate --seeds N.
    @Test("the promises hold through crashes and faults")
    func promises() async throws {
        let report = await withTaskGroup(of: EngineSimulation.Report.self) { group in
            for block in 0..<16 as Range<UInt64> { group.addTask { self.run(seeds: block * 16..<block * 16 + 16) } }
            return await group.reduce(into: EngineSimulation.Report()) { $0.add($1) }
        }
        // What the simulation is to exercise does happen.
        #expect(report.commits > 5_000)
        #expect(report.restarts > 500 && report.indexReads > 500, "\(report)")
        #expect(report.checkpoints > 0 && report.failedLogs > 0 && report.fullDisks > 0)
        #expect(report.treeWrites > 2_000 && report.staleWrites > 0 && report.counted > 500)
        #expect(report.ended > 400, "\(report)")
        #expect(report.snapshots > 0 && report.resets > 0 && report.resumptions > 0)
        #expect(report.judged > 200 && report.outdated > 100, "\(report)")
    }

    private func run(seeds: Range<UInt64>) -> EngineSimulation.Report {
        var report = EngineSimulation.Report()
        for seed in seeds {
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = 600
            do {
                report.add(try EngineSimulation.run(settings))
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        return report
    }

    @Test("a seed decides everything")
    func determinism() throws {
        let settings = EngineSimulation.Settings(seed: 4_711)
        let reports = try (0..<2).map { _ in try EngineSimulation.run(settings).description }
        #expect(reports[0] == reports[1])
    }

    @Test("the checker notices a recovery that passes over a tree's record")
    func lostTreeRecords() {
        let failures = (0..<32 as Range<UInt64>).compactMap { seed -> SimulationFailure? in
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = 600
            settings.losesTreeRecords = true
            do {
                try EngineSimulation.run(settings)
                return nil
            } catch {
                return error as? SimulationFailure
            }
        }
        #expect(failures.count >= 8, "\(failures.count)")
        #expect(failures.contains { $0.promise == .durability })
    }

    @Test("the checker notices a recovery that carries out again what sessions left")
    func forgottenEndings() {
        let failures = (0..<64 as Range<UInt64>).compactMap { seed -> SimulationFailure? in
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = 600
            settings.forgetsEndings = true
            do {
                try EngineSimulation.run(settings)
                return nil
            } catch {
                return error as? SimulationFailure
            }
        }
        #expect(failures.count >= 8, "\(failures.count)")
        #expect(failures.contains { $0.promise == .atomicity })
    }

    @Test("the checker notices judged commits that do not rest on what their rules read")
    func forgottenRuleReads() {
        let failures = (0..<64 as Range<UInt64>).compactMap { seed -> SimulationFailure? in
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = 600
            settings.forgetsRuleReads = true
            do {
                try EngineSimulation.run(settings)
                return nil
            } catch {
                return error as? SimulationFailure
            }
        }
        #expect(failures.count >= 4, "\(failures.count)")
        #expect(failures.allSatisfy { $0.promise == .rules })
    }

    @Test("the checker notices a disk that lies about syncs")
    func lyingDisk() {
        let failures = (0..<128 as Range<UInt64>).compactMap { seed -> SimulationFailure? in
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
