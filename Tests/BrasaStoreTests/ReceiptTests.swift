import BrasaDocuments
import BrasaLog
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// A receipt is durable exactly when its commit is.
@Suite struct ReceiptTests {
    private func receipt(_ stream: String, _ position: UInt64, after previous: UInt64, time: Timestamp) throws
        -> CommitReceipt
    {
        CommitReceipt(
            database: try databaseName(),
            stream: UTF8Text(stream),
            position: position,
            previous: previous,
            time: time,
            answer: Array("answer \(position)".utf8)
        )
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `After a crash there are the receipts of the commits that are there`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let keeper = Keeper()
        let fixture = try StoreFixture(seed: seed, receiptKeeper: keeper)
        var newest: [String: UInt64] = [:]
        for number in 1...150 {
            let database = fixture.store.database(try databaseName())
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try fixture.store.checkpoint()
            case 1:
                if random.chance(1, in: 2) { fixture.flush() }
                if random.chance(1, in: 2) { fixture.disk.crash() }
                try fixture.restart(kill: true)
                let found = try fixture.store.names(
                    range("r", nil, all: true),
                    in: fixture.store.database(databaseName())
                )
                #expect(Set(found) == Set(keeper.found.map { "r/s/\($0.stream.string)/\($0.position)" }))
                newest = [:]
                for receipt in keeper.found { newest[receipt.stream.string] = receipt.position }
            default:
                fixture.clock.advance(microseconds: 10)
                let stream = "s\(Int.random(in: 0..<3, using: &random))"
                let stamp = fixture.store.stamp()
                let position = UInt64(number)
                let receipt = try self.receipt(stream, position, after: newest[stream] ?? 0, time: stamp.time)
                let change = DocumentChange(
                    database: database,
                    path: try path("r/s/\(stream)/\(position)"),
                    outcome: .set(fields("x"), createTime: nil)
                )
                keeper.add(receipt)
                try fixture.store.apply(changes: [change], receipt: receipt, at: stamp, waiter: nil)
                newest[stream] = position
                if random.chance(1, in: 2) { fixture.flush() }
            }
        }
    }

    @Test func `A receipt alone is a commit, and moves no document`() throws {
        let keeper = Keeper()
        let fixture = try StoreFixture(receiptKeeper: keeper)
        let stamp = fixture.store.stamp()
        let receipt = try self.receipt("s", 1, after: 0, time: stamp.time)
        try fixture.store.apply(changes: [], receipt: receipt, at: stamp, waiter: nil)
        fixture.flush()
        #expect(fixture.store.watermark >= stamp.time)
        try fixture.restart(kill: true)
        #expect(keeper.found == [receipt])
        #expect(fixture.store.statistics.documents == 0)
    }

    @Test func `Checkpoints shorten a log of receipts alone`() throws {
        let fixture = try StoreFixture(receiptKeeper: Keeper())
        let database = fixture.store.database(try databaseName())
        try fixture.commit(database, [("a/1", "x")])
        var position: UInt64 = 0
        func fill() throws -> Int {
            for _ in 0..<300 {
                fixture.clock.advance(microseconds: 10)
                let stamp = fixture.store.stamp()
                position += 1
                let receipt = try self.receipt("s", position, after: position - 1, time: stamp.time)
                try fixture.store.apply(changes: [], receipt: receipt, at: stamp, waiter: nil)
                fixture.flush()
            }
            try fixture.store.checkpoint()
            return fixture.disk.paths.count { $0.contains("segment-") }
        }
        let counts = try (0..<6).map { _ in try fill() }
        #expect(counts.suffix(4).allSatisfy { $0 <= counts[1] }, "\(counts)")
        try fixture.restart(kill: true)
        #expect(try fixture.store.text("a/1", in: fixture.store.database(databaseName())) == "x")
    }

    @Test func `Receipts of a checkpoint may take many chunks`() throws {
        let keeper = Keeper()
        let fixture = try StoreFixture(receiptKeeper: keeper)
        let all = try (1...6_000).map { number in
            try self.receipt("s\(number)", 1, after: 0, time: fixture.store.creationTime)
        }
        for receipt in all { keeper.add(receipt) }
        try fixture.store.checkpoint()
        try fixture.restart(kill: true)
        #expect(keeper.found == all)
    }

    @Test func `A long log brings no more receipts into memory than are worth it`() throws {
        var recovered = RecoveredReceipts(bytesMax: 2_000)
        let all = try (1...100).map { number in
            try self.receipt("s", UInt64(number), after: UInt64(number - 1), time: Timestamp(microseconds: 1))
        }
        for receipt in all { recovered.append(receipt) }
        #expect(recovered.all == Array(all.suffix(recovered.all.count)))
        #expect((5...15).contains(recovered.all.count))
    }
}

/// Gives checkpoints what it was given.
private final class Keeper: ReceiptKeeper {
    private let state = Mutex<(all: [CommitReceipt], found: [CommitReceipt])>(([], []))

    func add(_ receipt: CommitReceipt) {
        self.state.withLock { $0.all.append(receipt) }
    }

    var found: [CommitReceipt] { self.state.withLock(\.found) }

    func recovered(_ receipts: [CommitReceipt]) {
        self.state.withLock { $0 = (receipts, receipts) }
    }

    func receipts(through time: Timestamp) -> [CommitReceipt] {
        self.state.withLock { $0.all.filter { $0.time <= time } }
    }
}
