import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaWatch

@Suite struct ViewListTests {
    private let world: WatchWorld

    init() throws {
        self.world = try WatchWorld()
    }

    private func view(_ query: Query) -> View {
        View(.query(query), bytes: 0, in: self.world.database, position: .earliest, memory: ViewMemory())
    }

    private func query(_ filter: StructuredQuery.Filter) throws -> Query {
        var query = StructuredQuery()
        query.from = [StructuredQuery.CollectionSelector(collectionID: "c")]
        query.filter = filter
        return try Query(query, parent: try root())
    }

    private func filter(
        _ field: String,
        _ operation: StructuredQuery.Filter.FieldOperator,
        _ value: Value
    ) throws -> StructuredQuery.Filter {
        .field(try FieldPath(parsing: field.utf8), operation, value)
    }

    private func document(_ entries: [(String, Value)]) -> Document {
        let entries = entries.map { Value.MapEntry(key: UTF8Text($0.0), value: $0.1) }
        return Document(fields: EncodedFields(encoding: entries), createTime: .earliest, updateTime: .earliest)
    }

    private func found(_ list: ViewList, _ before: Document?, _ after: Document?) -> [View] {
        var views: ContiguousArray<View> = []
        list.collect(into: &views)
        list.collect(from: before, to: after, into: &views)
        return Array(views)
    }

    /// Whatever a query says: its view is found for what matches, once, and not any more when it was removed.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `every view that a change concerns is found once`(seed: UInt64) throws {
        var random = BrasaQueryModel.SeededRandom(seed: seed)
        var generator = QueryCaseGenerator(seed: seed, database: WatchWorld.databaseName)
        let documents = (0..<20).map { _ in ModelDocument(path: generator.path(), entries: generator.entries()) }
        let list = ViewList()
        var views: [View] = []
        while views.count < 30 {
            let (structured, parent) = generator.query(on: documents)
            guard let query = try? Query(structured, parent: parent) else { continue }
            views.append(self.view(query))
            list.add(views[views.count - 1], query)
        }
        while true {
            for _ in 0..<8 {
                let pair = (0..<2).map { _ in documents.randomElement(using: &random) }
                let versions = pair.map {
                    $0.map { Document(fields: $0.fields, createTime: .earliest, updateTime: .earliest) }
                }
                let found = self.found(list, versions[0], versions[1])
                #expect(Set(found.map(ObjectIdentifier.init)).count == found.count, "seed \(seed)")
                for view in views {
                    let isConcerned = zip(pair, versions).contains { model, version in
                        model.map { view.matches($0.path, version) } ?? false
                    }
                    #expect(!isConcerned || found.contains { $0 === view }, "seed \(seed)")
                }
            }
            guard let index = views.indices.randomElement(using: &random) else { break }
            if case .query(let query) = views[index].selection { list.remove(views[index], query) }
            views.remove(at: index)
        }
        #expect(list.isEmpty)
    }

    @Test func `a change concerns the views of its values alone`() throws {
        let list = ViewList()
        var views: [View] = []
        for number in 0..<1_000 as Range<Int64> {
            for filter in [
                try self.filter("uid", .equal, .integer(number)),
                try self.filter("tags", .arrayContains, .integer(number)),
                .composite(
                    .and,
                    [try self.filter("open", .equal, .boolean(true)), try self.filter("uid", .equal, .integer(number))]
                ),
            ] {
                let query = try self.query(filter)
                views.append(self.view(query))
                list.add(views[views.count - 1], query)
            }
        }
        let all = try self.query(try self.filter("n", .greaterThan, .integer(0)))
        list.add(self.view(all), all)
        let before = self.document([("open", .boolean(false)), ("uid", .integer(7))])
        let after = self.document([
            ("open", .boolean(true)), ("tags", .array([.integer(3), .double(3), .string("x")])), ("uid", .double(8)),
        ])
        #expect(self.found(list, nil, nil).count == 1)
        #expect(self.found(list, nil, before).count == 2)
        #expect(self.found(list, after, after).count == 4)
        #expect(self.found(list, before, after).count == 5)
    }
}
