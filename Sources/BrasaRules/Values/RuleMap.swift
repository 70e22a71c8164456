package import BrasaDocuments

/// A map of strings to values: computed, or a document's fields that are decoded only where a rule looks.
package struct RuleMap: Sendable {
    package struct Entry: Sendable {
        package var key: RuleText
        package var value: RuleValue

        init(key: RuleText, value: RuleValue) {
            self.key = key
            self.value = value
        }

        package init(key: UTF8Text, value: RuleValue) {
            self.init(key: RuleText(key), value: value)
        }
    }

    private enum Storage {
        case entries([Entry])
        case stored(EncodedEntries)
        case document(StoredDocument)
    }

    private var storage: Storage
    /// There may be more entries than are known: this is what a query says of a map.
    let isOpen: Bool

    package static let empty = RuleMap(sorted: [])

    private init(_ storage: Storage, isOpen: Bool) {
        self.storage = storage
        self.isOpen = isOpen
    }

    /// Entries sorted by key, no key twice.
    init(sorted entries: [Entry]) { self.init(.entries(entries), isOpen: false) }

    /// Entries sorted by key, no key twice, of a map that may have others.
    init(known entries: [Entry]) { self.init(.entries(entries), isOpen: true) }

    /// Entries in any order; of equal keys the last counts. For what comes with a request, before it is judged.
    package init(_ entries: [(key: UTF8Text, value: RuleValue)]) {
        let order = entries.indices.sorted { (entries[$0].key, $0) < (entries[$1].key, $1) }
        var sorted: [(key: UTF8Text, value: RuleValue)] = []
        sorted.reserveCapacity(entries.count)
        for index in order {
            if let last = sorted.last, last.key == entries[index].key { sorted.removeLast() }
            sorted.append(entries[index])
        }
        self.init(sorted: sorted.map { Entry(key: $0.key, value: $0.value) })
    }

    package init(_ fields: EncodedFields) { self.init(EncodedEntries(fields)) }

    init(_ document: StoredDocument) { self.init(.document(document), isOpen: false) }

    init(_ entries: EncodedEntries) { self.init(.stored(entries), isOpen: false) }

    /// Puts an entry into a computed map, in the place of one with the same key.
    mutating func insert(_ entry: Entry, _ work: inout Work) throws(EvaluationError) {
        guard case .entries(var entries) = self.storage else { return }
        self.storage = .entries([])
        let (index, isThere) = try Self.place(of: entry.key, in: entries, &work)
        try work.spend(Work.element + entries.count)
        if isThere { entries[index] = entry } else { entries.insert(entry, at: index) }
        self.storage = .entries(entries)
    }

    /// Takes one entry after the other, in the order of their keys.
    struct Cursor {
        private var storage: Storage
        private var index = 0

        fileprivate init(_ map: RuleMap) {
            self.storage = map.storage
        }

        mutating func next(_ work: inout Work) throws(EvaluationError) -> Entry? {
            try work.spend(Work.element)
            switch self.storage {
            case .entries(let entries):
                guard self.index < entries.count else { return nil }
                self.index += 1
                return entries[self.index - 1]
            case .stored(var rest):
                guard let entry = rest.next() else { return nil }
                self.storage = .stored(rest)
                return Entry(
                    key: RuleText(validated: RuleBytes(entry.key)),
                    value: try RuleValue(entry.value, &work)
                )
            case .document(let document):
                self.index += 1
                return try document.entry(self.index - 1, &work)
            }
        }
    }

    var cursor: Cursor { Cursor(self) }

    func count(_ work: inout Work) throws(EvaluationError) -> Int {
        switch self.storage {
        case .entries(let entries): return entries.count
        case .stored(var entries):
            let count = entries.advance(work.steps)
            try work.spend(count * Work.step)
            return count
        case .document: return StoredDocument.count
        }
    }

    func value(_ key: RuleText, _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        switch self.storage {
        case .entries(let entries):
            let (index, isThere) = try Self.place(of: key, in: entries, &work)
            return isThere ? entries[index].value : nil
        case .stored(let entries):
            try work.spend(bytes: key.bytes.count, .block)
            let most = work.steps
            var left = most
            let search = key.bytes.withUnsafeBytes { entries.search($0, within: &left) }
            try work.spend((most - left) * Work.step)
            switch search {
            case .found(let value): return try RuleValue(value, &work)
            case .absent: return nil
            case .unfinished: throw .workExceeded
            }
        case .document(let document): return try document.value(key, &work)
        }
    }

    private static func place(
        of key: RuleText,
        in entries: [Entry],
        _ work: inout Work
    ) throws(EvaluationError) -> (index: Int, isThere: Bool) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            switch try RuleBytes.compare(entries[middle].key.bytes, key.bytes, &work) {
            case .ascending: low = middle + 1
            case .same: return (middle, true)
            case .descending: high = middle
            }
        }
        return (low, false)
    }

    static func equal(
        _ left: RuleMap,
        _ right: RuleMap,
        as equality: Equality,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        var (one, other) = (left.cursor, right.cursor)
        while true {
            switch (try one.next(&work), try other.next(&work)) {
            case (nil, nil): return true
            case (let one?, let other?):
                guard try RuleText.equal(one.key, other.key, &work),
                    try RuleValue.equal(one.value, other.value, as: equality, &work)
                else { return false }
            default: return false
            }
        }
    }
}
