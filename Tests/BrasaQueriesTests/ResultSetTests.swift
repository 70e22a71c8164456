import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

struct ResultSetTests {
    private typealias Change = (path: ResourcePath, document: Document?)

    private func document(_ fields: EncodedFields, at time: Int64 = 1) -> Document {
        Document(
            fields: fields,
            createTime: Timestamp(microseconds: 1),
            updateTime: Timestamp(microseconds: time)
        )
    }

    private func number(_ name: String, _ value: Int64?) throws -> (path: ResourcePath, document: Document?) {
        (try path(name), value.map { self.document(fields(["a": .integer($0)])) })
    }

    private func lowest(_ limit: Int32?) throws -> ResultSet {
        ResultSet(
            try Query(
                structured { query in
                    query.orderBy = [.init(field: try field("a"))]
                    query.limit = limit
                },
                parent: parent()
            )
        )
    }

    @Test func `Removed, added and modified documents are told in this order, with the indexes at each step`() throws {
        var set = try self.lowest(nil)
        let first = set.apply([try self.number("c/x", 1), try self.number("c/y", 2), try self.number("c/z", 3)])
        #expect(first?.map(\.kind) == [.added(newIndex: 0), .added(newIndex: 1), .added(newIndex: 2)])
        let second = set.apply([
            try self.number("c/z", 0), try self.number("c/n", 2), try self.number("c/x", nil),
            try self.number("d/x", 2),
        ])
        #expect(
            second?.map(\.kind) == [
                .removed(oldIndex: 0), .added(newIndex: 0), .modified(oldIndex: 2, newIndex: 0),
            ]
        )
        #expect(second?.map(\.path.string) == ["c/x", "c/n", "c/z"])
        #expect(set.entries.map(\.path.string) == ["c/z", "c/n", "c/y"])
        #expect(set.apply([try self.number("c/y", 2)]) == [])
    }

    @Test func `A full window forgets what falls out, and asks when something is missing`() throws {
        var set = try self.lowest(2)
        _ = set.apply([try self.number("c/x", 1), try self.number("c/y", 2), try self.number("c/z", 3)])
        #expect(set.entries.map(\.path.string) == ["c/x", "c/y"])
        let pushed = set.apply([try self.number("c/w", 0)])
        #expect(pushed?.map(\.kind) == [.removed(oldIndex: 1), .added(newIndex: 0)])
        // One goes and one comes in before the edge: nobody needs to be asked.
        #expect(set.apply([try self.number("c/w", nil), try self.number("c/v", 1)])?.count == 2)
        #expect(set.entries.map(\.path.string) == ["c/v", "c/x"])
        // Behind the edge there may be others before it.
        #expect(set.apply([try self.number("c/x", 9)]) == nil)
        #expect(set.entries.map(\.path.string) == ["c/v", "c/x"])
        let refilled = set.replace(
            with: [
                (try path("c/v"), self.document(fields(["a": .integer(1)]))),
                (try path("c/y"), self.document(fields(["a": .integer(2)]))),
            ]
        )
        #expect(refilled.map(\.kind) == [.removed(oldIndex: 1), .added(newIndex: 1)])
        #expect(try set.document(at: path("c/y")) != nil && set.document(at: path("c/x")) == nil)
    }

    /// Replays steps on a plain list, as a listener does.
    private func replay(_ steps: [ResultChange], on list: inout [ModelDocument]) throws {
        for step in steps {
            let model = ModelDocument(path: step.path, entries: step.document.fields.decoded)
            switch step.kind {
            case .removed(let index): #expect(list.remove(at: index) == model)
            case .added(let index): list.insert(model, at: index)
            case .modified(let oldIndex, let newIndex):
                #expect(list.remove(at: oldIndex).path == step.path)
                list.insert(model, at: newIndex)
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `After any changes the results are those of a fresh run, and the steps lead there`(seed: UInt64) throws {
        var generator = QueryCaseGenerator(seed: seed, database: testDatabase)
        for _ in 0..<60 {
            let tried = generator.next()
            guard let query = tried.checked else { continue }
            var documents = Dictionary(uniqueKeysWithValues: tried.documents.map { ($0.path, $0) })
            var set = ResultSet(query)
            var list: [ModelDocument] = []
            var refills = 0
            for round in 0..<20 {
                var changes: [Change] = round == 0 ? documents.values.map { ($0.path, self.document($0.fields)) } : []
                for _ in 0..<generator.random.below(4) where round > 0 {
                    let path =
                        documents.isEmpty || generator.random.chance(2)
                        ? generator.path() : generator.random.pick(documents.keys.sorted())
                    documents[path] =
                        generator.random.chance(3)
                        ? nil : ModelDocument(path: path, entries: generator.entries())
                    changes.append((path, documents[path].map { self.document($0.fields) }))
                }
                let expected = tried.model.results(among: documents.values.sorted { $0.path < $1.path })
                var steps = set.apply(changes)
                if steps == nil { refills += 1 }
                steps = steps ?? set.replace(with: expected.map { ($0.path, self.document($0.fields)) })
                try self.replay(steps ?? [], on: &list)
                let found = set.entries.map(\.path)
                guard found == expected.map(\.path), list == expected else {
                    Issue.record("seed \(seed), round \(round): \(found) of \(tried)")
                    return
                }
            }
            if query.limit == nil, query.offset == 0 { #expect(refills == 0) }
        }
    }
}
