import BrasaDocuments
import BrasaQueries

@testable import BrasaStore

/// A store with numbered documents for tests of plans and costs.
struct QueryBench {
    let fixture: StoreFixture
    let database: DatabaseHandle
    var store: Store { self.fixture.store }

    init(count: Int, _ adjust: (inout Store.Configuration) -> Void = { _ in }) throws {
        self.fixture = try StoreFixture(seed: 1, adjust)
        self.database = self.fixture.store.database(try databaseName())
        for start in stride(from: 0, to: count, by: 500) {
            try self.write(start..<min(start + 500, count))
        }
    }

    /// `status` is rarely `new`, `team` one of seven, `score` the number.
    func write(
        _ numbers: Range<Int>,
        path name: (Int) -> String = { "users/u\($0)" },
        team: (Int) -> Int = { $0 % 7 }
    ) throws {
        try self.fixture.commit(
            try numbers.map { number in
                let fields = EncodedFields(encoding: [
                    Value.MapEntry(key: "status", value: .string(number % 100 == 0 ? "new" : "done")),
                    Value.MapEntry(key: "team", value: .integer(Int64(team(number)))),
                    Value.MapEntry(key: "score", value: .integer(Int64(number))),
                ])
                return DocumentChange(
                    database: self.database,
                    path: try path(name(number)),
                    outcome: .set(fields, createTime: nil)
                )
            }
        )
    }

    func query(
        _ filters: [StructuredQuery.Filter] = [],
        order: [(String, StructuredQuery.Order.Direction)] = [],
        collection: UTF8Text = "users",
        parent parentPath: String = "",
        group: Bool = false,
        limit: Int32? = nil
    ) throws -> Query {
        let parent = try ParentName(database: databaseName(), path: parentPath.isEmpty ? .root : path(parentPath))
            .unwrapped()
        return try Query(
            StructuredQuery(
                from: [.init(collectionID: collection, allDescendants: group)],
                filter: filters.isEmpty ? nil : .composite(.and, filters),
                orderBy: order.map { .init(field: try field($0.0), direction: $0.1) },
                limit: limit
            ),
            parent: parent
        )
    }

    func scan(_ query: Query) throws -> QueryScan {
        try self.store.query(query, in: self.database, at: self.store.strongReadTime())
    }

    /// The names of the first results and the scan that found them.
    func run(_ query: Query) throws -> (names: [String], scan: QueryScan) {
        var scan = try self.scan(query)
        let limit = query.limit ?? .max
        var names: [String] = []
        while names.count < limit, !scan.isAtEnd {
            names += try scan.next(limit - names.count).map { String(decoding: $0.path.lastSegment, as: UTF8.self) }
        }
        return (names, scan)
    }

    func buildIndexes() {
        while self.store.indexStep() {}
    }
}

func field(_ path: String) throws -> FieldPath { try FieldPath(parsing: path.utf8) }

func filter(
    _ path: String,
    _ op: StructuredQuery.Filter.FieldOperator,
    _ value: Value
) throws -> StructuredQuery.Filter {
    .field(try field(path), op, value)
}

struct Missing: Error {}

extension Optional {
    func unwrapped() throws -> Wrapped {
        guard let self else { throw Missing() }
        return self
    }
}
