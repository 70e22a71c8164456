import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

/// Checked queries against the model that reads as the specification.
struct ModelTests {
    private static let casesPerSeed = 500

    /// Nil when matcher, order, cursors and disjunctions agree with the model on this case.
    private static func failure(_ tried: QueryCase) -> String? {
        guard let query = tried.checked else { return nil }
        let expected = tried.model.ordered(tried.documents).map(\.path)
        var found: [(key: OrderPreservingKey, path: ResourcePath)] = []
        for document in tried.documents {
            let fields = document.fields
            guard query.matches(path: document.path, fields: fields) else { continue }
            guard let key = query.order.key(path: document.path, fields: fields) else { return "no key: \(document)" }
            found.append((key, document.path))
        }
        let paths = found.sorted { $0.key < $1.key }.map(\.path)
        return paths == expected ? Self.disjunctionFailure(query, tried.documents) : "\(paths) is not \(expected)"
    }

    /// The disjunctive normal form says the same as the filter.
    private static func disjunctionFailure(_ query: Query, _ documents: [ModelDocument]) -> String? {
        for document in documents {
            let fields = document.fields
            let holds = query.disjunctions.contains { conjunction in
                conjunction.terms.allSatisfy { term in
                    document.value(at: term.path, in: query.database).map(term.matches) ?? false
                }
            }
            if holds != query.filterMatches(path: document.path, fields: fields) {
                return "the disjunctions \(query.disjunctions) disagree with the filter on \(document)"
            }
        }
        return nil
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `A query finds what the specification says, in its order`(seed: UInt64) {
        var generator = QueryCaseGenerator(seed: seed, database: testDatabase)
        for _ in 0..<Self.casesPerSeed {
            let tried = generator.random.chance(4) ? generator.nextNamed() : generator.next()
            guard Self.failure(tried) != nil else { continue }
            let smallest = tried.shrunk { Self.failure($0) != nil }
            Issue.record("seed \(seed): \(Self.failure(smallest) ?? "")\n\(smallest)")
            return
        }
    }

    @Test func `Cases are worth something: most find documents, and every clause is met`() {
        var generator = QueryCaseGenerator(seed: 99, database: testDatabase)
        var (hits, filtered, ordered, started, disjoint) = (0, 0, 0, 0, 0)
        for _ in 0..<500 {
            let tried = generator.next()
            if !tried.model.results(among: tried.documents).isEmpty { hits += 1 }
            if tried.query.filter != nil { filtered += 1 }
            if !tried.query.orderBy.isEmpty { ordered += 1 }
            if tried.query.startAt != nil { started += 1 }
            if (tried.checked?.disjunctions.count ?? 0) > 1 { disjoint += 1 }
        }
        #expect(min(hits, filtered, ordered, started) > 75 && disjoint > 25)
    }

    @Test func `A failing case is shrunk to what matters`() {
        var generator = QueryCaseGenerator(seed: 5, database: testDatabase)
        var tried = generator.next()
        let fails = { (tried: QueryCase) in
            tried.query.limit != nil
                && tried.documents.contains { document in
                    document.entries.contains { $0.key == "a" }
                }
        }
        while !fails(tried) { tried = generator.next() }
        let smallest = tried.shrunk(while: fails)
        #expect(smallest.documents.count == 1 && smallest.documents.first?.entries.count == 1)
        #expect(smallest.query.filter == nil && smallest.query.orderBy.isEmpty && smallest.query.startAt == nil)
    }
}
