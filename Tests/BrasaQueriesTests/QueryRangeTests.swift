import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

struct QueryRangeTests {
    @Test func `A range of names holds whatever is named so and exists`() throws {
        let range = QueryRange(names: NameRange(parent: .root, collectionID: "c", allDescendants: false))
        #expect(range.contains(try path("c/a"), fields: .empty))
        #expect(!range.contains(try path("c/a"), fields: nil))
        #expect(try !range.mayContain(path("d/a")) && !range.contains(path("d/a"), fields: .empty))
    }

    @Test func `A query that stopped at a limit has seen its order up to there`() throws {
        let query = try Query(
            structured {
                $0.filter = try .field("a", .greaterThan, .integer(0))
                $0.orderBy = [.init(field: try field("a"), direction: .descending)]
                $0.limit = 2
            },
            parent: parent()
        )
        let key = { (name: String, value: Int64) in
            query.order.key(path: try path(name), fields: fields(["a": .integer(value)]))
        }
        let range = QueryRange(query, through: try key("c/m", 5))
        let holds = { (name: String, value: Value) in
            range.contains(try path(name), fields: fields(["a": value]))
        }
        #expect(try holds("c/m", .integer(5)) && holds("c/z", .integer(5)) && holds("c/a", .double(5.5)))
        #expect(try !holds("c/a", .integer(5)) && !holds("c/a", .integer(4)) && !holds("c/a", .string("5")))
        #expect(try !range.contains(path("c/a"), fields: .empty))
        #expect(try QueryRange(query).contains(path("c/a"), fields: fields(["a": .integer(1)])))
    }

    @Test func `A range holds exactly the results up to its end, in every kind of query`() throws {
        var generator = QueryCaseGenerator(seed: 3, database: testDatabase)
        for _ in 0..<300 {
            let tried = generator.next()
            guard let query = tried.checked else { continue }
            let seen = tried.model.ordered(tried.documents).prefix(3)
            guard let last = seen.last, let key = query.order.key(path: last.path, fields: last.fields) else {
                continue
            }
            let range = QueryRange(query, through: key)
            let held = tried.documents.filter { range.contains($0.path, fields: $0.fields) }
            #expect(Set(held.map(\.path)) == Set(seen.map(\.path)), "\(tried)")
            #expect(held.allSatisfy { range.mayContain($0.path) })
        }
    }
}
