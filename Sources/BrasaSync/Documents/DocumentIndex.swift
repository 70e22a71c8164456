internal import BrasaDocuments

/// Entries by path, in parts: of two copies of which one changes, all other parts stay shared.
struct DocumentIndex: Sendable {
    /// A power of two of them.
    private var parts: [[ResourcePath: DocumentEntry]] = [[:]]
    private var count = 0

    /// On average.
    private static let partMax = 64

    init() {}

    /// With different paths.
    init(_ entries: [DocumentEntry]) {
        self.reserve(entries.count)
        for entry in entries { _ = self.update(entry) }
    }

    subscript(path: ResourcePath) -> DocumentEntry? { self.parts[self.part(of: path)][path] }

    /// Gives what it replaces.
    mutating func update(_ entry: DocumentEntry) -> DocumentEntry? {
        let path = entry.document.path
        let old = self.parts[self.part(of: path)].updateValue(entry, forKey: path)
        if old == nil {
            self.count += 1
            self.reserve(self.count)
        }
        return old
    }

    mutating func remove(_ path: ResourcePath) -> DocumentEntry? {
        let old = self.parts[self.part(of: path)].removeValue(forKey: path)
        if old != nil { self.count -= 1 }
        return old
    }

    private func part(of path: ResourcePath) -> Int {
        self.parts.count == 1 ? 0 : path.hashValue & (self.parts.count - 1)
    }

    /// Makes more parts for so many entries, if there are too few.
    private mutating func reserve(_ count: Int) {
        var partCount = self.parts.count
        while count > partCount * Self.partMax { partCount *= 2 }
        guard partCount > self.parts.count else { return }
        let old = self.parts
        self.parts = Array(repeating: [:], count: partCount)
        for part in old {
            for (path, entry) in part { self.parts[self.part(of: path)][path] = entry }
        }
    }
}
