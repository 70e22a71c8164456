import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import CBrasaAllocations
import Synchronization
import Testing

/// What a commit takes between the call and its answer does not depend on the machine's mood, so it has a bound. These are
/// the numbers of a build without optimisation, as the suite has it; docs/performance.md has those of a release build.
@Suite("A commit of one write allocates little")
struct CommitCostTests {
    /// Runs what is posted at once, so that the answer comes on the thread that counts.
    private final class Inline: Mailbox {
        func post(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private static let commits = 1_000

    private func allocations(_ writes: (Bench) throws -> [Write]) throws -> Double {
        var log = LogConfiguration()
        log.durability = .memory
        let bench = try Bench(store: Store.Configuration(log: log))
        let mailbox = Inline()
        let failures = Atomic<Int>(0)
        // Made before, as a decoder does; only what the engine takes is counted.
        let all = try writes(bench).map { [$0] }
        func commit(_ writes: [Write]) {
            bench.transactions.commit(
                database: bench.database,
                transaction: nil,
                writes: writes,
                reply: Reply(mailbox: mailbox) { result in
                    if case .failure = result { failures.add(1, ordering: .relaxed) }
                }
            )
        }
        for writes in all.dropLast(Self.commits) { commit(writes) }
        brasa_allocations_begin()
        for writes in all.suffix(Self.commits) { commit(writes) }
        let count = brasa_allocations_end()
        #expect(failures.load(ordering: .relaxed) == 0)
        return Double(count) / Double(Self.commits)
    }

    @Test("that replaces a document", .enabled(if: brasa_allocations_are_counted()))
    func replacements() throws {
        let count = try self.allocations { bench in
            (0..<2 * Self.commits).map { bench.set("c/\($0 % 100)", Int64($0)) }
        }
        #expect(count <= 16.5, "\(count)")
    }

    @Test("that creates a document", .enabled(if: brasa_allocations_are_counted()))
    func creations() throws {
        let count = try self.allocations { bench in
            (0..<2 * Self.commits).map { bench.set("c/\($0)", Int64($0), .exists(false)) }
        }
        #expect(count <= 25, "\(count)")
    }

    @Test("that increments a number", .enabled(if: brasa_allocations_are_counted()))
    func increments() throws {
        let count = try self.allocations { bench in
            try (0..<2 * Self.commits).map { try bench.increment("c/\($0 % 100)", by: 1) }
        }
        #expect(count <= 34.5, "\(count)")
    }
}
