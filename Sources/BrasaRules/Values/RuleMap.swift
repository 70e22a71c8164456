package import BrasaDocuments

/// A map of strings to values: computed, or a document's fields that are decoded only where a rule looks.
package struct RuleMap: Sendable {
    package struct Entry: Sendable {
        package var key: UTF8Text
        package var value: RuleValue

        package init(key: UTF8Text, value: RuleValue) {
            self.key = key
            self.value = value
        }
    }

    private enum Storage {
        case entries([Entry])
        case fields(EncodedFields)
    }

    private let storage: Storage
    /// There may be more entries than are known: this is what a query says of a map.
    let isOpen: Bool

    package static let empty = RuleMap(sorted: [])

    /// Entries sorted by key, no key twice.
    init(sorted entries: [Entry]) {
        self.storage = .entries(entries)
        self.isOpen = false
    }

    /// Entries sorted by key, no key twice, of a map that may have others.
    init(known entries: [Entry]) {
        self.storage = .entries(entries)
        self.isOpen = true
    }

    /// Entries in any order; of equal keys the last counts.
    package init(_ entries: [Entry]) {
        let order = entries.indices.sorted { left, right in
            entries[left].key == entries[right].key ? left < right : entries[left].key < entries[right].key
        }
        var sorted: [Entry] = []
        sorted.reserveCapacity(entries.count)
        for index in order {
            if let last = sorted.last, last.key == entries[index].key { sorted.removeLast() }
            sorted.append(entries[index])
        }
        self.storage = .entries(sorted)
        self.isOpen = false
    }

    package init(_ fields: EncodedFields) {
        self.storage = .fields(fields)
        self.isOpen = false
    }

    /// All entries, sorted by key.
    package var entries: [Entry] {
        switch self.storage {
        case .entries(let entries): entries
        case .fields(let fields): fields.decoded.map { Entry(key: $0.key, value: RuleValue($0.value)) }
        }
    }

    package func value(_ key: UTF8Text) -> RuleValue? {
        switch self.storage {
        case .entries(let entries): Self.find(key, in: entries)
        case .fields(let fields):
            (try? FieldPath(names: [key])).flatMap { fields.value(at: $0) }.map { RuleValue($0) }
        }
    }

    private static func find(_ key: UTF8Text, in entries: [Entry]) -> RuleValue? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            switch ByteOrder.compare(entries[middle].key.bytes, key.bytes) {
            case .ascending: low = middle + 1
            case .same: return entries[middle].value
            case .descending: high = middle
            }
        }
        return nil
    }

    /// What looking into the map costs.
    var lookupWork: Int {
        switch self.storage {
        case .entries: 1
        case .fields(let fields): Work.forDecoding(fields) / 16 + 1
        }
    }

    /// What decoding all entries costs; nil when they are decoded.
    var decodingWork: Int? {
        switch self.storage {
        case .entries: nil
        case .fields(let fields): Work.forDecoding(fields)
        }
    }
}
