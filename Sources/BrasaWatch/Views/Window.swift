import BrasaDocuments

/// The first results of a query with a limit or an offset, in its order: those that are shown, those before them that the
/// offset hides, and some behind them so that not every result that goes makes the query run again.
struct Window {
    struct Entry {
        let key: [UInt8]
        let path: ResourcePath
        let updateTime: Timestamp

        /// What it takes, about: itself, the key's array, and the path unless a document has it.
        var bytes: Int { 96 + self.key.count + self.path.bytes.count }
    }

    /// A document that is shown, or no longer.
    struct Move {
        let path: ResourcePath
        let isMember: Bool
    }

    /// Where a document that changed is in the query's order.
    struct Relocation {
        let path: ResourcePath
        /// Where it was; nil when it was no result.
        let before: [UInt8]?
        let after: Entry?
    }

    private let offset: Int
    /// How many results there must be room for: offset and limit. Nil: all.
    private let capacity: Int?
    private(set) var entries: ContiguousArray<Entry> = []
    /// All results up to this key are in `entries`; nil: all there are.
    private var coverage: [UInt8]?
    private(set) var bytes = 0

    init(offset: Int, limit: Int?) {
        self.offset = offset
        self.capacity = limit.map { offset.addingReportingOverflow($0) }.flatMap { $0.overflow ? nil : $0.partialValue }
    }

    private static func slack(_ capacity: Int) -> Int { min(max(capacity / 4, 4), 256) }

    /// How many results a fill needs; nil: all.
    var fillCount: Int? { self.capacity.map { $0 + Self.slack($0) } }

    /// Those that are shown.
    var shown: ArraySlice<Entry> {
        let end = min(self.entries.count, self.capacity ?? .max)
        return ArraySlice(self.entries[min(self.offset, end)..<end])
    }

    var shownTimes: [ResourcePath: Timestamp] {
        self.shown.reduce(into: [:]) { $0[$1.path] = $1.updateTime }
    }

    private var shownRange: Range<Int> {
        let end = min(self.entries.count, self.capacity ?? .max)
        return min(self.offset, end)..<end
    }

    /// The query's first results, `fillCount` of them or all that there are.
    mutating func fill(_ entries: ContiguousArray<Entry>, isComplete: Bool) {
        self.entries = entries
        self.coverage = isComplete ? nil : entries.last?.key ?? []
        self.bytes = entries.reduce(0) { $0 + $1.bytes }
    }

    /// Takes what one step changes and returns what moved, or nil when too many results went: then nothing changed, and
    /// the window must be filled again.
    mutating func apply(_ relocations: [Relocation]) -> [Move]? {
        let relevant = relocations.filter { self.covers($0.before) || self.covers($0.after?.key) }
        if relevant.isEmpty { return [] }
        let left = relevant.count { self.covers($0.before) }
        let arrived = relevant.count { self.covers($0.after?.key) }
        if self.coverage != nil, let capacity = self.capacity, self.entries.count - left + arrived < capacity {
            return nil
        }
        let range = self.shownRange
        let first = range.isEmpty ? nil : self.entries[range.lowerBound].key
        let last = range.isEmpty ? nil : self.entries[range.upperBound - 1].key
        var changed: Set<ResourcePath> = []
        var wasShown: [Bool] = []
        for relocation in relevant {
            changed.insert(relocation.path)
            let index = relocation.before.flatMap { self.index(of: $0) }
            wasShown.append(index.map { range.contains($0) } ?? false)
        }
        for relocation in relevant {
            if let before = relocation.before { self.remove(before) }
        }
        for relocation in relevant {
            if let after = relocation.after, self.covers(after.key) { self.insert(after) }
        }
        var moves: [Move] = []
        for (relocation, wasShown) in zip(relevant, wasShown) {
            let index = relocation.after.flatMap { self.index(of: $0.key) }
            let isShown = index.map { self.shownRange.contains($0) } ?? false
            if isShown || wasShown { moves.append(Move(path: relocation.path, isMember: isShown)) }
        }
        self.addShifted(from: first, to: last, except: changed, to: &moves)
        self.trim()
        return moves
    }

    /// Those that did not change, but are shown now, or no longer, because others did: next to the ends of what was shown.
    private func addShifted(
        from first: [UInt8]?,
        to last: [UInt8]?,
        except changed: Set<ResourcePath>,
        to moves: inout [Move]
    ) {
        let range = self.shownRange
        func add(_ index: Int, isMember: Bool) {
            let path = self.entries[index].path
            if !changed.contains(path) { moves.append(Move(path: path, isMember: isMember)) }
        }
        guard let first, let last else {
            for index in range { add(index, isMember: true) }
            return
        }
        var index = range.upperBound
        while index < self.entries.count, !Self.isLess(last, self.entries[index].key) {
            if !Self.isLess(self.entries[index].key, first) { add(index, isMember: false) }
            index += 1
        }
        index = range.lowerBound
        while index > 0, !Self.isLess(self.entries[index - 1].key, first) {
            index -= 1
            if !Self.isLess(last, self.entries[index].key) { add(index, isMember: false) }
        }
        for index in range.reversed() {
            guard Self.isLess(last, self.entries[index].key) else { break }
            add(index, isMember: true)
        }
        for index in range {
            guard Self.isLess(self.entries[index].key, first) else { break }
            add(index, isMember: true)
        }
    }

    // MARK: Entries by key

    private func covers(_ key: [UInt8]?) -> Bool {
        guard let key else { return false }
        return self.coverage.map { !Self.isLess($0, key) } ?? true
    }

    private static func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        ByteOrder.compare(left, right) == .ascending
    }

    /// Where the key is or would be.
    private func position(of key: [UInt8]) -> Int {
        var low = 0
        var high = self.entries.count
        while low < high {
            let middle = (low + high) / 2
            if Self.isLess(self.entries[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func index(of key: [UInt8]) -> Int? {
        let index = self.position(of: key)
        return index < self.entries.count && ByteOrder.equal(self.entries[index].key, key) ? index : nil
    }

    private mutating func remove(_ key: [UInt8]) {
        guard let index = self.index(of: key) else { return }
        self.bytes -= self.entries.remove(at: index).bytes
    }

    private mutating func insert(_ entry: Entry) {
        self.entries.insert(entry, at: self.position(of: entry.key))
        self.bytes += entry.bytes
    }

    /// Gives up the end of what is kept behind the limit when it has grown.
    private mutating func trim() {
        guard let capacity = self.capacity, self.entries.count > capacity + 2 * Self.slack(capacity) else { return }
        while self.entries.count > capacity + Self.slack(capacity), let last = self.entries.popLast() {
            self.bytes -= last.bytes
        }
        self.coverage = self.entries.last?.key
    }
}

extension Window {
    /// What moved from what was shown to what is, who leaves before who arrives.
    static func moves(from former: [ResourcePath: Timestamp], to shown: some Sequence<Entry>) -> [Move] {
        var former = former
        var arrived: [Move] = []
        for entry in shown where former.removeValue(forKey: entry.path) != entry.updateTime {
            arrived.append(Move(path: entry.path, isMember: true))
        }
        return former.keys.sorted().map { Move(path: $0, isMember: false) } + arrived
    }
}
