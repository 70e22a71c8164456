internal import BrasaDocuments
internal import BrasaQueries

/// One way in which a query's filter can be true: what it says of every document that it finds.
struct QueryWay: Sendable {
    /// What is known of `resource.data`. There are several when a filter gives a number, which a document may hold as
    /// an integer or as a float: rules must allow each.
    private(set) var variants: [RuleMap]
    /// The one document that may be found, where the filter gives its name.
    private(set) var document: ResourcePath?

    /// Numbers beyond that are known by their order only.
    static let variantsMax = 4

    /// Nothing is known.
    static let any = QueryWay(variants: [RuleMap(known: [])])

    private init(variants: [RuleMap]) {
        self.variants = variants
    }

    init(_ conjunction: Conjunction) {
        var terms: [Term] = []
        terms.reserveCapacity(conjunction.terms.count)
        for term in conjunction.terms {
            if !term.path.isDocumentName {
                terms.append(term)
            } else if case .equal(.reference(let name)) = term.condition {
                self.document = name.path
            }
        }
        if terms.count > 1 { terms.sort { $0.path < $1.path } }
        var variants: [[Fact]] = [[]]
        var last: FieldPath?
        var rest = terms[...]
        while let path = rest.first?.path {
            let same = rest.prefix { $0.path == path }
            rest = rest.dropFirst(same.count)
            // What is said of a map and again of what is in it is one thing too many to keep.
            if let last, last.contains(path) { continue }
            last = path
            let values = Self.values(same.map(\.condition), count: Self.variantsMax / variants.count)
            if let value = values.first, values.count == 1 {
                for index in variants.indices { variants[index].append(Fact(path: path.segments[...], value: value)) }
            } else {
                variants = variants.flatMap { facts in
                    values.map { facts + [Fact(path: path.segments[...], value: $0)] }
                }
            }
        }
        self.variants = variants.map(Self.map)
    }

    /// The values that a field may have under these conditions, at most `count`.
    private static func values(_ conditions: [Term.Condition], count: Int) -> [RuleValue] {
        for case .equal(let value) in conditions {
            if let values = value.equalValues, values.count <= count { return values }
        }
        return [.constraint(RuleConstraint(conditions: conditions))]
    }

    private struct Fact {
        var path: ArraySlice<UTF8Text>
        var value: RuleValue
    }

    /// Maps in maps, from facts sorted by path, none of which is below another. As deep as paths are long.
    private static func map(_ facts: [Fact]) -> RuleMap {
        var entries: [RuleMap.Entry] = []
        entries.reserveCapacity(facts.count)
        var index = 0
        while index < facts.count, let name = facts[index].path.first {
            if facts[index].path.count == 1 {
                entries.append(RuleMap.Entry(key: name, value: facts[index].value))
                index += 1
                continue
            }
            var inner: [Fact] = []
            while index < facts.count, facts[index].path.first == name {
                inner.append(Fact(path: facts[index].path.dropFirst(), value: facts[index].value))
                index += 1
            }
            entries.append(RuleMap.Entry(key: name, value: .map(self.map(inner))))
        }
        return RuleMap(known: entries)
    }
}
