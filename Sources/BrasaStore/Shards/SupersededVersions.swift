import BrasaDocuments

/// The versions of one document before its newest, oldest first, searched by bisection: a counter may have a million, so
/// they lie in chunks, of which none is copied to make room.
final class SupersededVersions {
    /// Full ones, before `newest`.
    private var chunks = FirstInFirstOut<[DocumentChain.Version]>()
    private var newest: [DocumentChain.Version] = []
    /// The first that is kept. What was before is forgotten and has no fields.
    private var start = 0
    /// Of the version that superseded the last of these; nil: a deletion. Kept here, so that a document of one version need
    /// not have room for these versions (`DocumentChain.Content`).
    var successorFields: EncodedFields?

    private static let chunkSize = 512

    private var end: Int { self.chunks.count * Self.chunkSize + self.newest.count }

    var count: Int { self.end - self.start }

    private subscript(_ index: Int) -> DocumentChain.Version {
        let (chunk, offset) = index.quotientAndRemainder(dividingBy: Self.chunkSize)
        return chunk < self.chunks.count ? self.chunks[chunk][offset] : self.newest[offset]
    }

    func append(_ version: DocumentChain.Version) {
        self.newest.append(version)
        guard self.newest.count == Self.chunkSize else { return }
        self.chunks.append(self.newest)
        self.newest = []
    }

    func removeLast() -> DocumentChain.Version? {
        guard self.count > 0 else { return nil }
        if self.newest.isEmpty {
            self.newest = self.chunks[self.chunks.count - 1]
            self.chunks.removeLast(1)
        }
        return self.newest.removeLast()
    }

    func newest(at time: Int64) -> DocumentChain.Version? {
        let index = self.firstIndex(after: time)
        return index > self.start ? self[index - 1] : nil
    }

    func oldest(after time: Int64) -> DocumentChain.Version? {
        let index = self.firstIndex(after: time)
        return index < self.end ? self[index] : nil
    }

    /// Keeps the version that a reader at `horizon` sees and the ones after it. `forgetting` hears of each of the others,
    /// and of the one that superseded it.
    /// Complexity: O(log n) and what is forgotten, amortised.
    func trim(
        before horizon: Int64,
        forgetting: (DocumentChain.Version, DocumentChain.Version) -> Void
    ) -> (count: Int, bytes: Int) {
        let keep = self.firstIndex(after: horizon) - 1
        guard keep > self.start else { return (0, 0) }
        let count = keep - self.start
        var bytes = 0
        for index in self.start..<keep {
            bytes += self[index].historyBytes
            forgetting(self[index], self[index + 1])
            self.dropFields(index)
        }
        self.start = keep
        while self.start >= Self.chunkSize, self.chunks.popFirst() != nil { self.start -= Self.chunkSize }
        if self.chunks.isEmpty, self.start > self.newest.count / 2 {
            self.newest = Array(self.newest[self.start...])
            self.start = 0
        }
        return (count, bytes)
    }

    /// `successor` superseded the last of them.
    func removeAll(
        before successor: DocumentChain.Version,
        forgetting: (DocumentChain.Version, DocumentChain.Version) -> Void
    ) -> (count: Int, bytes: Int) {
        let count = self.count
        var bytes = 0
        for index in self.start..<self.end {
            bytes += self[index].historyBytes
            forgetting(self[index], index + 1 < self.end ? self[index + 1] : successor)
        }
        self.chunks = FirstInFirstOut()
        self.newest = []
        self.start = 0
        return (count, bytes)
    }

    private func dropFields(_ index: Int) {
        let (chunk, offset) = index.quotientAndRemainder(dividingBy: Self.chunkSize)
        if chunk < self.chunks.count {
            self.chunks.update(chunk) { $0[offset].fields = nil }
        } else {
            self.newest[offset].fields = nil
        }
    }

    private func firstIndex(after time: Int64) -> Int {
        var low = self.start
        var high = self.end
        while low < high {
            let middle = (low + high) / 2
            if self[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
