import BrasaDocuments
import BrasaPlatform
package import BrasaQueries
import Synchronization

/// A built index, for as long as a query reads it. It may be dropped at any time; reads of it then return nil.
package final class Index: Sendable {
    package let definition: IndexDefinition
    package let database: DatabaseHandle
    let counts: IndexCounts
    let usage: IndexUsage

    init(definition: IndexDefinition, database: DatabaseHandle, total: IndexTotal, usage: IndexUsage) {
        self.definition = definition
        self.database = database
        self.counts = IndexCounts(total, history: database.history)
        self.usage = usage
    }
}

/// How much an index is used, noted without a lock.
final class IndexUsage: Sendable {
    private let useCount = Atomic<Int>(0)
    /// Microseconds; the least number: never.
    private let lastUse = Atomic<Int64>(.min)
    /// Nanoseconds.
    private let lastWish: Atomic<Int64>

    init(wanted now: MonotonicTime) {
        self.lastWish = Atomic(now.nanoseconds)
    }

    var uses: Int { self.useCount.load(ordering: .relaxed) }

    var lastUsed: WallTime? {
        let time = self.lastUse.load(ordering: .relaxed)
        return time == .min ? nil : WallTime(microseconds: time)
    }

    /// When it was used or requested last.
    var lastWanted: MonotonicTime {
        MonotonicTime(sinceStart: .nanoseconds(self.lastWish.load(ordering: .relaxed)))
    }

    func isUsed(_ wall: WallTime, _ now: MonotonicTime) {
        self.useCount.wrappingAdd(1, ordering: .relaxed)
        self.lastUse.store(wall.microseconds, ordering: .relaxed)
        self.isWanted(now)
    }

    func isWanted(_ now: MonotonicTime) { self.lastWish.store(now.nanoseconds, ordering: .relaxed) }
}

extension MonotonicTime {
    /// Since the start of the clock, for 292 years.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.sinceStart.components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ attoseconds / 1_000_000_000
    }
}

/// What an index's trees add up to. Written with its database's order held, read by anyone. What the keys take that only
/// readers of the past look at is part of the database's history.
final class IndexCounts: Sendable {
    private let history: ReadHistory
    private let endedByteCount = Atomic<Int>(0)
    private let entryCount = Atomic<Int>(0)
    private let byteCount = Atomic<Int>(0)
    private let isLost = Atomic<Bool>(false)
    private let total: IndexTotal

    init(_ total: IndexTotal, history: ReadHistory) {
        self.total = total
        self.history = history
    }

    var entries: Int { self.entryCount.load(ordering: .relaxed) }
    /// About what the trees take.
    var bytes: Int { self.byteCount.load(ordering: .relaxed) }
    /// What it counts as against the bound of all indexes: nothing before its build begins.
    var cost: Int {
        let bytes = self.bytes
        return bytes == 0 ? 0 : max(bytes, self.total.costMin)
    }

    /// A document has more entries than an index takes of one: the index lacks them, and must not be read.
    var isOverflowing: Bool { self.isLost.load(ordering: .acquiring) }

    func add(entries: Int, bytes: Int) {
        let costBefore = self.cost
        self.entryCount.wrappingAdd(entries, ordering: .relaxed)
        self.byteCount.wrappingAdd(bytes, ordering: .relaxed)
        self.total.add(bytes, cost: self.cost - costBefore)
    }

    /// Of the bytes, those of keys that ended.
    func add(endedBytes: Int) {
        self.endedByteCount.wrappingAdd(endedBytes, ordering: .relaxed)
        self.total.add(endedBytes: endedBytes)
        self.history.add(bytes: endedBytes)
    }

    /// It is out of its order.
    func letGo() {
        let endedBytes = self.endedByteCount.exchange(0, ordering: .relaxed)
        self.total.add(-self.bytes, cost: -self.cost)
        self.total.add(endedBytes: -endedBytes)
        self.history.add(bytes: -endedBytes)
    }

    func overflow() {
        self.isLost.store(true, ordering: .releasing)
        self.total.overflow()
    }
}

/// About what all indexes take, those that are being dropped included.
final class IndexTotal: Sendable {
    /// What an index counts as at least.
    let costMin: Int
    private let byteCount = Atomic<Int>(0)
    private let endedByteCount = Atomic<Int>(0)
    private let costSum = Atomic<Int>(0)
    private let hasOverflow = Atomic<Bool>(false)

    init(costMin: Int) {
        self.costMin = costMin
    }

    var bytes: Int { self.byteCount.load(ordering: .relaxed) }
    /// Of the bytes, those of keys that ended, which databases' histories count.
    var endedBytes: Int { self.endedByteCount.load(ordering: .relaxed) }
    /// What they count as together.
    var cost: Int { self.costSum.load(ordering: .relaxed) }

    func add(_ bytes: Int, cost: Int) {
        self.byteCount.wrappingAdd(bytes, ordering: .relaxed)
        if cost != 0 { self.costSum.wrappingAdd(cost, ordering: .relaxed) }
    }

    func add(endedBytes: Int) { self.endedByteCount.wrappingAdd(endedBytes, ordering: .relaxed) }

    func overflow() { self.hasOverflow.store(true, ordering: .releasing) }

    /// Whether an index has overflowed since this was asked last.
    func takeOverflow() -> Bool {
        self.hasOverflow.load(ordering: .relaxed) && self.hasOverflow.exchange(false, ordering: .acquiring)
    }
}
