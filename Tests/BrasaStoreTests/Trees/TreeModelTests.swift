import BrasaDocuments
import BrasaSimulation
import BrasaTree
import Testing

@testable import BrasaStore

/// Trees and documents in one log, through restarts and power cuts: what is found again is a prefix of one order.
@Suite struct TreeModelTests {
    /// What everybody would see after a commit.
    fileprivate struct Moment {
        let time: Int64
        var trees: [FlatTree]
        /// How many commits to documents there were.
        var documents: Int
    }

    fileprivate static let names = ["one", "two", "Three-3"]

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `Reads, steps and recovery are of one order of writes to trees and documents`(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<250 { try run.step() }
        try run.restart(losingPower: false)
        #expect(run.restarts > 0 && run.checkpoints > 0)
    }

    private struct Run {
        private var random: SeededRandom
        private let fixture: StoreFixture
        private var moments: [Moment]
        private var checkpoint: CheckpointRun?
        private(set) var checkpoints = 0
        private(set) var restarts = 0

        init(seed: UInt64) throws {
            self.random = SeededRandom(seed: seed)
            self.fixture = try StoreFixture(seed: seed) {
                $0.recentTreeStepsMax = seed % 2 == 0 ? 4 : 1_000
                $0.recentTreeBytesMax = seed % 3 == 0 ? 16 << 10 : 1 << 20
            }
            self.moments = [Moment(time: .min, trees: TreeModelTests.names.map { _ in FlatTree() }, documents: 0)]
        }

        private var store: Store { self.fixture.store }

        mutating func step() throws {
            switch Int.random(in: 0..<100, using: &self.random) {
            case ..<55: try self.write()
            case ..<65: try self.writeDocument()
            case ..<80: _ = self.store.step()
            case ..<84: _ = self.store.maintain()
            case ..<86: self.fixture.wait(.seconds(30))
            case ..<96: try self.stepCheckpoint()
            case ..<98: try self.restart(losingPower: true)
            default: try self.restart(losingPower: false)
            }
            try self.checkReads()
        }

        private mutating func write() throws {
            let index = Int.random(in: 0..<TreeModelTests.names.count, using: &self.random)
            let tree = try self.fixture.tree(TreeModelTests.names[index])
            let writes = try (0..<Int.random(in: 1...2, using: &self.random)).map { _ in
                try RandomTreeWrites.next(&self.random)
            }
            let time = try self.fixture.apply(writes.map(\.write), to: tree).time
            guard var model = self.moments.last?.trees else { return }
            for write in writes { write.model(&model[index], time / 1_000) }
            self.moments.append(Moment(time: time, trees: model, documents: self.moments.last?.documents ?? 0))
        }

        private mutating func writeDocument() throws {
            let count = (self.moments.last?.documents ?? 0) + 1
            let database = self.store.database(try databaseName())
            let change = DocumentChange(
                database: database,
                path: try path("c/n"),
                outcome: .set(fields("\(count)"), createTime: nil)
            )
            let time = try self.store.apply(changes: [change], waiter: nil)
            self.moments.append(
                Moment(time: time.microseconds, trees: self.moments.last?.trees ?? [], documents: count)
            )
        }

        private mutating func stepCheckpoint() throws {
            if self.checkpoint == nil { self.checkpoint = try self.store.beginCheckpoint() }
            guard let run = self.checkpoint, try !run.step() else { return }
            self.checkpoint = nil
            self.checkpoints += 1
        }

        /// Everything that is shown is of the last durable moment.
        private func checkReads() throws {
            let watermark = self.store.watermark.microseconds
            let durable = self.moments.last { $0.time <= watermark }
            for (index, name) in TreeModelTests.names.enumerated() {
                let (root, time) = self.store.root(of: try self.fixture.tree(name))
                #expect(FlatTree(root) == durable?.trees[index] && time.microseconds == watermark)
            }
            let past = self.moments.randomElementBefore(watermark)
            for (index, name) in TreeModelTests.names.enumerated() {
                guard past.time >= self.store.oldestTreeStepsTime.microseconds else { continue }
                let root = self.store.root(of: try self.fixture.tree(name), at: Timestamp(microseconds: past.time))
                #expect(root.map { FlatTree($0) } == past.trees[index])
            }
            try self.checkSteps(after: past, watermark)
        }

        private func checkSteps(after past: Moment, _ watermark: Int64) throws {
            var steps: [TreeStep] = []
            while true {
                let time = steps.last?.time ?? Timestamp(microseconds: past.time)
                guard let more = self.store.treeSteps(after: time, limit: 100) else {
                    #expect(past.time < self.store.oldestTreeStepsTime.microseconds)
                    return
                }
                #expect(more.hasMore == (more.through < self.store.watermark))
                if more.steps.isEmpty { break }
                steps += more.steps
            }
            var trees = past.trees
            let known = self.moments.filter { $0.time > past.time && $0.time <= watermark }
            for step in steps {
                let index = try #require(TreeModelTests.names.firstIndex(of: step.tree.name.description))
                #expect(FlatTree(step.before) == trees[index])
                trees[index] = FlatTree(step.after)
                #expect(known.contains { $0.time == step.time.microseconds && $0.trees == trees })
            }
            #expect(trees == (known.last ?? past).trees)
        }

        mutating func restart(losingPower: Bool) throws {
            let durable = self.store.watermark.microseconds
            if !losingPower { self.fixture.flush() }
            self.checkpoint = nil
            try self.fixture.restart(kill: true, losingPower: losingPower)
            self.restarts += 1
            let trees = try TreeModelTests.names.map { FlatTree(self.store.root(of: try self.fixture.tree($0)).root) }
            let text = try self.store.text("c/n", in: self.store.database(databaseName()))
            let found = try #require(
                self.moments.lastIndex { $0.trees == trees && "\($0.documents)" == text ?? "0" },
                "a state that there never was"
            )
            let needed = losingPower ? durable : self.moments.last?.time ?? .min
            let lost = self.moments[(found + 1)...].filter { $0.time <= needed }
            // Commits that left everything as it was look the same.
            #expect(lost.allSatisfy { $0.trees == trees && $0.documents == self.moments[found].documents })
            self.moments.removeSubrange((found + 1)...)
        }
    }
}

extension [TreeModelTests.Moment] {
    fileprivate func randomElementBefore(_ watermark: Int64) -> TreeModelTests.Moment {
        // The same each time, wherever it is: the middle of the last few.
        let durable = self.filter { $0.time <= watermark }
        return durable[Swift.max(0, durable.count - 1 - durable.count % 7)]
    }
}
