internal import BrasaDocuments
internal import BrasaQueries

extension QueryCase {
    /// A smaller case that still fails, found by leaving things out for as long as that helps. Cases whose query is not
    /// valid are not tried.
    package func shrunk(while fails: (QueryCase) -> Bool) -> QueryCase {
        var smallest = self
        var triesLeft = 10_000
        var hasShrunk = true
        while hasShrunk {
            hasShrunk = false
            for candidate in smallest.smaller {
                guard triesLeft > 0 else { return smallest }
                triesLeft -= 1
                guard candidate.checked != nil, fails(candidate) else { continue }
                smallest = candidate
                hasShrunk = true
                break
            }
        }
        return smallest
    }

    /// Cases with one thing less, those that leave out most first.
    private var smaller: [QueryCase] {
        self.withFewerDocuments + self.query.smaller.map { self.with(query: $0) } + self.withSmallerDocuments
    }

    private func with(query: StructuredQuery) -> QueryCase {
        QueryCase(documents: self.documents, query: query, parent: self.parent)
    }

    private func with(documents: [ModelDocument]) -> QueryCase {
        QueryCase(documents: documents, query: self.query, parent: self.parent)
    }

    private var withFewerDocuments: [QueryCase] {
        var cases: [QueryCase] = []
        let half = self.documents.count / 2
        if half > 0 {
            cases.append(self.with(documents: Array(self.documents[..<half])))
            cases.append(self.with(documents: Array(self.documents[half...])))
        }
        return cases + self.documents.indices.map { self.with(documents: self.documents.removing($0)) }
    }

    private var withSmallerDocuments: [QueryCase] {
        self.documents.indices.flatMap { index in
            self.documents[index].entries.indices.map { entry in
                var documents = self.documents
                documents[index].entries.remove(at: entry)
                return self.with(documents: documents)
            }
        }
    }
}

extension StructuredQuery {
    fileprivate var smaller: [StructuredQuery] {
        var queries: [StructuredQuery] = []
        func add(_ change: (inout StructuredQuery) -> Void) {
            var query = self
            change(&query)
            queries.append(query)
        }
        if self.startAt != nil { add { $0.startAt = nil } }
        if self.endAt != nil { add { $0.endAt = nil } }
        if self.limit != nil { add { $0.limit = nil } }
        if self.offset != 0 { add { $0.offset = 0 } }
        if self.select != nil { add { $0.select = nil } }
        if self.filter != nil { add { $0.filter = nil } }
        for index in self.orderBy.indices { add { $0.orderBy.remove(at: index) } }
        for filter in self.filter?.smaller ?? [] { add { $0.filter = filter } }
        if let cursor = self.startAt, cursor.values.count > 1 { add { $0.startAt?.values.removeLast() } }
        if let cursor = self.endAt, cursor.values.count > 1 { add { $0.endAt?.values.removeLast() } }
        return queries
    }
}

extension StructuredQuery.Filter {
    fileprivate var smaller: [StructuredQuery.Filter] {
        switch self {
        case .unset, .unary: return []
        case .field(let path, let op, .array(let members)?):
            return members.count < 2
                ? [] : members.indices.map { .field(path, op, .array(members.removing($0))) }
        case .field: return []
        case .composite(let op, let filters):
            let inner = filters.indices.flatMap { index in
                filters[index].smaller.map { smaller in
                    var changed = filters
                    changed[index] = smaller
                    return Self.composite(op, changed)
                }
            }
            let fewer = filters.count > 1 ? filters.indices.map { Self.composite(op, filters.removing($0)) } : []
            return filters + fewer + inner
        }
    }
}

extension Array {
    fileprivate func removing(_ index: Int) -> [Element] {
        var rest = self
        rest.remove(at: index)
        return rest
    }
}
