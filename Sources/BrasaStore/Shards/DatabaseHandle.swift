package import BrasaDocuments
import Synchronization

/// One database: its name, interned, and its documents. Two handles of one store never have the same name, so they are
/// compared by identity. Whoever holds one keeps it in the store; one without documents goes when nobody does.
package final class DatabaseHandle: Sendable {
    package let name: DatabaseName
    let shards: [Shard]
    private let hash: KeyedHash

    init(name: DatabaseName, shardCount: Int, hash: KeyedHash) {
        self.name = name
        self.shards = (0..<shardCount).map { _ in Shard() }
        self.hash = hash
    }

    /// The document's shard, and the half of its hash that the shard's table goes by.
    func place(_ path: ResourcePath) -> (shard: Shard, hash: UInt32) {
        let hash = self.hash(path.bytes)
        let index = Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(self.shards.count)) >> 32)
        return (self.shards[index], UInt32(truncatingIfNeeded: hash))
    }

    /// Nothing in memory, not even versions that only the past can see.
    var isEmpty: Bool {
        self.shards.allSatisfy { $0.state.withLock { $0.isEmpty } }
    }

    var counts: ShardCounts {
        self.shards.reduce(into: ShardCounts()) { total, shard in
            let counts = shard.state.withLock { $0.counts }
            total.documents += counts.documents
            total.fieldBytes += counts.fieldBytes
            total.supersededVersions += counts.supersededVersions
        }
    }
}

extension DatabaseHandle: Hashable {
    package static func == (left: DatabaseHandle, right: DatabaseHandle) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
