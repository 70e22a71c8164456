import BrasaDocuments
package import BrasaQueries
import Synchronization

/// A built index, for as long as a query reads it. While somebody holds it, it is dropped only when memory is short;
/// reads of it then return nil.
package final class Index: Sendable {
    package let definition: IndexDefinition
    package let database: DatabaseHandle
    let counts: IndexCounts

    init(definition: IndexDefinition, database: DatabaseHandle, total: IndexTotal) {
        self.definition = definition
        self.database = database
        self.counts = IndexCounts(total)
    }
}

/// What an index's trees add up to. Written with its database's order held, read by anyone.
final class IndexCounts: Sendable {
    private let entryCount = Atomic<Int>(0)
    private let byteCount = Atomic<Int>(0)
    private let isLost = Atomic<Bool>(false)
    private let total: IndexTotal

    init(_ total: IndexTotal) {
        self.total = total
    }

    var entries: Int { self.entryCount.load(ordering: .relaxed) }
    /// About what the trees take.
    var bytes: Int { self.byteCount.load(ordering: .relaxed) }
    /// A document has more entries than an index takes of one: the index lacks them, and must not be read.
    var isOverflowing: Bool { self.isLost.load(ordering: .acquiring) }

    func add(entries: Int, bytes: Int) {
        self.entryCount.wrappingAdd(entries, ordering: .relaxed)
        self.byteCount.wrappingAdd(bytes, ordering: .relaxed)
        self.total.add(bytes)
    }

    /// No shard has a part of it any more.
    func letGo() { self.total.add(-self.bytes) }

    func overflow() { self.isLost.store(true, ordering: .releasing) }
}

/// About what all indexes take that shards have parts of, those that are being dropped included.
final class IndexTotal: Sendable {
    private let byteCount = Atomic<Int>(0)

    var bytes: Int { self.byteCount.load(ordering: .relaxed) }

    func add(_ bytes: Int) { self.byteCount.wrappingAdd(bytes, ordering: .relaxed) }
}
