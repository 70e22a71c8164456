internal import BrasaDocuments

/// Two maps to be told apart, top-level key by key.
package struct RuleMapDiff: Sendable {
    let old: RuleMap
    let new: RuleMap

    struct Keys: OptionSet {
        let rawValue: UInt8
        static let added = Keys(rawValue: 1)
        static let removed = Keys(rawValue: 2)
        static let changed = Keys(rawValue: 4)
        static let unchanged = Keys(rawValue: 8)
        static let affected: Keys = [.added, .removed, .changed]
    }

    /// The keys of these kinds, sorted. Complexity: linear in the entries, deep in those that both have.
    func keys(_ kinds: Keys) -> RuleSet {
        let (old, new) = (self.old.entries, self.new.entries)
        var keys: [RuleValue] = []
        func add(_ key: UTF8Text, _ kind: Keys) {
            if kinds.contains(kind) { keys.append(.string(key)) }
        }
        var (at, other) = (0, 0)
        while at < new.count || other < old.count {
            let order: Ordering =
                at == new.count
                ? .descending
                : other == old.count ? .ascending : ByteOrder.compare(new[at].key.bytes, old[other].key.bytes)
            switch order {
            case .ascending:
                add(new[at].key, .added)
                at += 1
            case .descending:
                add(old[other].key, .removed)
                other += 1
            case .same:
                add(new[at].key, RuleValue.equal(new[at].value, old[other].value) ? .unchanged : .changed)
                at += 1
                other += 1
            }
        }
        return RuleSet(keys)
    }
}
