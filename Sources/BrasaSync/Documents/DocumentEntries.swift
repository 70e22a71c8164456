internal import BrasaDocuments

/// A document with its place in the order.
final class DocumentEntry: Sendable {
    let key: OrderPreservingKey
    let document: SyncDocument

    init(key: OrderPreservingKey, document: SyncDocument) {
        self.key = key
        self.document = document
    }
}

/// Entries in the order of their keys, in chunks: of two copies of which one changes, all other chunks stay shared.
struct DocumentEntries: Sendable {
    /// None is empty.
    private var chunks: [[DocumentEntry]] = []
    /// Where each chunk begins.
    private var starts: [Int] = []
    private(set) var count = 0

    private static let chunkMax = 128

    init() {}

    /// In the order.
    init(_ entries: [DocumentEntry]) {
        self.count = entries.count
        for start in stride(from: 0, to: entries.count, by: Self.chunkMax / 2) {
            self.starts.append(start)
            self.chunks.append(Array(entries[start..<min(start + Self.chunkMax / 2, entries.count)]))
        }
    }

    subscript(position: Int) -> DocumentEntry {
        let chunk = Self.firstIndex(self.starts.count) { self.starts[$0] > position } - 1
        return self.chunks[chunk][position - self.starts[chunk]]
    }

    /// Where the key is or belongs.
    func position(of key: OrderPreservingKey) -> Int {
        let chunk = self.chunk(of: key)
        guard chunk < self.chunks.count else { return self.count }
        return self.starts[chunk] + Self.position(of: key, in: self.chunks[chunk])
    }

    /// Its key is not there yet.
    mutating func insert(_ entry: DocumentEntry) {
        guard !self.chunks.isEmpty else {
            self = DocumentEntries([entry])
            return
        }
        let chunk = min(self.chunk(of: entry.key), self.chunks.count - 1)
        self.chunks[chunk].insert(entry, at: Self.position(of: entry.key, in: self.chunks[chunk]))
        if self.chunks[chunk].count > Self.chunkMax {
            let upper = Array(self.chunks[chunk][(Self.chunkMax / 2)...])
            self.chunks[chunk].removeSubrange((Self.chunkMax / 2)...)
            self.chunks.insert(upper, at: chunk + 1)
            self.starts.insert(0, at: chunk + 1)
        }
        self.count += 1
        self.moveStarts(from: chunk)
    }

    mutating func remove(_ key: OrderPreservingKey) {
        let chunk = self.chunk(of: key)
        guard chunk < self.chunks.count else { return }
        let place = Self.position(of: key, in: self.chunks[chunk])
        guard self.chunks[chunk][place].key == key else { return }
        self.chunks[chunk].remove(at: place)
        if self.chunks[chunk].isEmpty {
            self.chunks.remove(at: chunk)
            self.starts.remove(at: chunk)
        }
        self.count -= 1
        self.moveStarts(from: chunk)
    }

    func array(in range: Range<Int>) -> [DocumentEntry] { range.map { self[$0] } }

    /// Without those that are replaced, and with new ones, which are in the order.
    func merged(with added: [DocumentEntry], without isReplaced: (DocumentEntry) -> Bool) -> [DocumentEntry] {
        var merged: [DocumentEntry] = []
        merged.reserveCapacity(self.count + added.count)
        var rest = added[...]
        for chunk in self.chunks {
            for entry in chunk where !isReplaced(entry) {
                while let next = rest.first, next.key < entry.key {
                    merged.append(next)
                    rest.removeFirst()
                }
                merged.append(entry)
            }
        }
        merged.append(contentsOf: rest)
        return merged
    }

    private mutating func moveStarts(from chunk: Int) {
        for next in chunk..<max(chunk, self.chunks.count) {
            self.starts[next] = next == 0 ? 0 : self.starts[next - 1] + self.chunks[next - 1].count
        }
    }

    /// The first chunk that ends with the key or behind it.
    private func chunk(of key: OrderPreservingKey) -> Int {
        Self.firstIndex(self.chunks.count) { index in
            self.chunks[index].last.map { $0.key >= key } ?? true
        }
    }

    private static func position(of key: OrderPreservingKey, in chunk: [DocumentEntry]) -> Int {
        Self.firstIndex(chunk.count) { chunk[$0].key >= key }
    }

    /// Of `count` the first for which it holds, as it does for all behind it.
    private static func firstIndex(_ count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: - All of them

    func makeIterator() -> Iterator { Iterator(chunks: self.chunks) }

    struct Iterator {
        let chunks: [[DocumentEntry]]
        private var chunk = 0
        private var place = 0

        init(chunks: [[DocumentEntry]]) {
            self.chunks = chunks
        }

        mutating func next() -> DocumentEntry? {
            while self.chunk < self.chunks.count {
                if self.place < self.chunks[self.chunk].count {
                    self.place += 1
                    return self.chunks[self.chunk][self.place - 1]
                }
                self.chunk += 1
                self.place = 0
            }
            return nil
        }
    }
}
