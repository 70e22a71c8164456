/// What the store keeps in memory, by part, as it counts it: bytes that it has asked for, about. What the system gives the
/// process for them is more, by what allocators round up and keep, and comes back late.
package struct StoreMemory: Hashable, Sendable {
    /// Newest versions, with their paths and places in tables and trees.
    package let documents: Int
    /// Superseded versions, deletions and keys of indexes that ended.
    package let history: Int
    /// Without those keys.
    package let indexes: Int
    /// Newest versions of trees, what the latest steps to them keep of earlier ones, and what sessions leave.
    package let trees: Int
    /// Of others in the process (`memoryBytesReserved`).
    package let reserved: Int

    package var bytes: Int { self.documents + self.history + self.indexes + self.trees + self.reserved }
}

extension Store {
    /// Another bound than the configuration's, or nil for none, from the next commit on.
    package func setMemoryBytesMax(_ bytesMax: Int?) { self.memoryBound.setBytesMax(bytesMax) }

    package var memory: StoreMemory {
        StoreMemory(
            documents: self.documents.documentBytes,
            history: self.documents.historyBytes,
            indexes: self.indexRegistry.total.bytes - self.indexRegistry.total.endedBytes,
            trees: self.trees.bytes,
            reserved: self.configuration.memoryBytesReserved
        )
    }

    /// Commits that add something are refused until more is given back.
    package var isMemoryFull: Bool {
        guard self.memoryBound.isReached, let resumeBytes = self.memoryBound.resumeBytes else { return false }
        return self.memory.bytes > resumeBytes
    }

    /// Nothing is begun that takes memory and can wait.
    var isMemoryShort: Bool {
        self.memoryBound.resumeBytes.map { self.memory.bytes > $0 } ?? false
    }

    /// Past it old versions go before their time: rather than that commits are refused.
    var historyBytesMax: Int {
        guard let resumeBytes = self.memoryBound.resumeBytes else { return self.configuration.historyBytesMax }
        let memory = self.memory
        return min(self.configuration.historyBytesMax, max(0, memory.history - (memory.bytes - resumeBytes)))
    }

    /// Asked once a commit, by the one writer, before anything of it is done. What only deletes goes on.
    func checkMemory(for changes: [DocumentChange]) throws(StoreError) {
        guard self.memoryBound.bytesMax != nil else { return }
        try self.checkMemory(growth: changes.reduce(0) { $0 + $1.keptBytes })
    }

    func checkMemory(growth: Int) throws(StoreError) {
        guard let bytesMax = self.memoryBound.bytesMax, growth > 0 else { return }
        var bytes = self.memory.bytes
        // Steps of trees that everybody may have taken are worth less than a write, where that helps it.
        var hasMore = bytes - self.trees.steps.bytes + growth <= bytesMax
        while hasMore, bytes + growth > bytesMax {
            hasMore = self.trees.steps.forget(through: self.commitClock.watermark)
            bytes = self.memory.bytes
        }
        guard !self.memoryBound.admits(growth, to: bytes) else { return }
        throw StoreError(.memoryFull(bytesMax: bytesMax))
    }
}

extension DocumentChange {
    /// What stays of it in memory. A version that it supersedes stays as well, as history.
    fileprivate var keptBytes: Int {
        switch self.outcome {
        case .set(let fields, _): DocumentChain.documentBytes(path: self.path, fields: fields)
        case .delete: 0
        }
    }
}
