import ArgumentParser
import BrasaSimulation

/// Runs seeds of the engine's simulation. The first failure ends it, with the command that replays it.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Simulates log, store, transactions and listeners under crashes and faults."
    )

    @Option(help: "How many seeds to run.")
    var seeds: UInt64 = 1_000

    @Option(help: "The first seed; a failure is replayed with --seeds 1.")
    var seed: UInt64?

    @Option(help: "Steps of each simulation.")
    var steps = 2_000

    @Flag(help: "A node whose commits a shared log makes durable, instead of files.")
    var sharedLog = false

    /// So many seeds exercise everything that is reported.
    private static let seedsMany: UInt64 = 100

    func run() throws {
        let first = self.seed ?? UInt64.random(in: 0...UInt64.max / 2)
        print("first seed \(first)")
        var total = EngineSimulation.Report()
        for seed in first..<first + self.seeds {
            var settings = EngineSimulation.Settings(seed: seed)
            settings.steps = self.steps
            if self.sharedLog { settings.log = .shared(nil) }
            do {
                total.add(try EngineSimulation.run(settings))
            } catch {
                print("seed \(seed): \(error)")
                let log = self.sharedLog ? " --shared-log" : ""
                print("replay: scripts/simulate --seeds 1 --seed \(seed) --steps \(self.steps)\(log)")
                throw ExitCode.failure
            }
        }
        print("\(self.seeds) seeds: \(total)")
        if self.seeds >= Self.seedsMany, total.indexReads == 0 {
            print("no index answered a query: what the simulation is to exercise does not happen")
            throw ExitCode.failure
        }
    }
}
