internal import BrasaDocuments

/// One user's queued batches, oldest first, found by what they change.
struct MemoryQueue {
    private(set) var batches: ArraySlice<MutationBatch> = []
    /// Ascending.
    private var byPath: [ResourcePath: [BatchID]] = [:]
    var position: WriteStreamPosition?

    func affects(_ path: ResourcePath) -> Bool { self.byPath[path] != nil }

    mutating func append(_ batch: MutationBatch) {
        self.batches.append(batch)
        for path in batch.paths { self.byPath[path, default: []].append(batch.id) }
    }

    /// Writes are answered in order, so it is the oldest; false when it is not there.
    mutating func remove(_ batch: MutationBatch) -> Bool {
        guard self.batches.first?.id == batch.id else { return false }
        self.batches.removeFirst()
        for path in batch.paths {
            guard let index = self.byPath.index(forKey: path) else { continue }
            // It has the oldest batch first, too.
            if self.byPath.values[index].count > 1 {
                self.byPath.values[index].removeFirst()
            } else {
                self.byPath.remove(at: index)
            }
        }
        return true
    }

    func batch(_ id: BatchID) -> MutationBatch? {
        let batch = self.next(after: id - 1)
        return batch?.id == id ? batch : nil
    }

    func next(after id: BatchID) -> MutationBatch? {
        var (low, high) = (self.batches.startIndex, self.batches.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self.batches[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        return low < self.batches.endIndex ? self.batches[low] : nil
    }

    func batches(affecting paths: Set<ResourcePath>) -> [MutationBatch] {
        let ids = paths.compactMap { self.byPath[$0] }
        // Each document's are in order.
        guard ids.count > 1 else { return (ids.first ?? []).compactMap(self.batch) }
        return Set(ids.joined()).sorted().compactMap(self.batch)
    }
}
