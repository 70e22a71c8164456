import BrasaDocuments
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

@Suite struct FullDiskTests {
    @Test func `Commits are refused while the disk is full, reads go on, and a transaction commits when there is room`()
        throws
    {
        let disk = SimulatedDisk(seed: 1)
        let bench = try Bench(disk: disk)
        let reader = try bench.holding("c/mine")
        disk.faults.capacityBytes = disk.usedBytes
        var applied: [String] = []
        var refusal: TransactionError?
        for number in 0..<100 where refusal == nil {
            let answer = bench.commit(nil, bench.set("c/a\(number)", 1))
            bench.settle()
            refusal = answer.error
            if answer.isSuccess { applied.append("c/a\(number)") }
        }
        #expect(refusal == .exhausted(.diskSpace) && refusal?.code == .resourceExhausted)
        #expect(!applied.isEmpty && !bench.server.logHasFailed)
        // Nothing of what was refused is there, or comes later.
        let refused = "c/a\(applied.count)"
        #expect(bench.server.store.latest(Bench.path(refused), in: bench.database) == nil)
        let time = bench.server.store.strongReadTime()
        for path in applied {
            #expect(try bench.server.store.get(Bench.path(path), in: bench.database, at: time) != nil)
        }
        #expect(bench.commit(reader, bench.set("c/mine", 1)).error == .exhausted(.diskSpace))

        disk.faults.capacityBytes = nil
        bench.settle()
        let commit = bench.commit(reader, bench.set("c/mine", 2))
        bench.settle()
        #expect(commit.isSuccess && !bench.server.logHasFailed)
        #expect(bench.server.store.latest(Bench.path(refused), in: bench.database) == nil)
    }

    @Test func `Commits that wait for room when the server ends are told that they were not done`() throws {
        let disk = SimulatedDisk(seed: 1)
        let bench = try Bench(disk: disk)
        disk.faults.capacityBytes = disk.usedBytes
        let answers = (0..<400).map { bench.commit(nil, bench.set("c/a\($0)", 1)) }
        bench.server.store.stop()
        bench.settle()
        let errors = answers.compactMap(\.error)
        #expect(errors.count + answers.count(where: \.isSuccess) == 400)
        #expect(errors.contains { $0.code == .unavailable } && !errors.contains { $0.code == .dataLoss })
        #expect(!bench.server.logHasFailed)
    }
}
