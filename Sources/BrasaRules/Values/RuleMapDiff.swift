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
    func keys(_ kinds: Keys, _ work: inout Work) throws(EvaluationError) -> RuleSet {
        var keys: [RuleValue] = []
        func add(_ key: RuleText, _ kind: Keys) {
            if kinds.contains(kind) { keys.append(.string(key)) }
        }
        var (before, after) = (self.old.cursor, self.new.cursor)
        var (old, new) = (try before.next(&work), try after.next(&work))
        while true {
            switch (old, new) {
            case (nil, nil): return RuleSet(distinct: keys)
            case (let entry?, nil):
                add(entry.key, .removed)
                old = try before.next(&work)
            case (nil, let entry?):
                add(entry.key, .added)
                new = try after.next(&work)
            case (let one?, let other?):
                switch try RuleBytes.compare(other.key.bytes, one.key.bytes, &work) {
                case .ascending:
                    add(other.key, .added)
                    new = try after.next(&work)
                case .descending:
                    add(one.key, .removed)
                    old = try before.next(&work)
                case .same:
                    add(
                        other.key,
                        try RuleValue.equal(other.value, one.value, as: .order, &work) ? .unchanged : .changed
                    )
                    (old, new) = (try before.next(&work), try after.next(&work))
                }
            }
        }
    }
}
