import BrasaDocuments
import BrasaQueries
import Synchronization

@testable import BrasaStore

/// A store with documents of the collection `c` whose fields `x` and `y` are strings of some length, and indexes that are
/// asked for and used as queries do it.
struct IndexFixture {
    let fixture: StoreFixture
    let database: DatabaseHandle

    var store: Store { self.fixture.store }

    init(
        documents: Int,
        textBytes: Int = 10,
        _ adjust: (inout Store.Configuration) -> Void = { _ in }
    ) throws {
        self.fixture = try StoreFixture(adjust)
        self.database = self.fixture.store.database(try databaseName())
        for number in 0..<documents { try self.write(number, textBytes: textBytes) }
    }

    func write(_ number: Int, textBytes: Int, in database: DatabaseHandle? = nil) throws {
        let text = "\(number)" + String(repeating: "x", count: textBytes)
        let entry = Value.MapEntry(key: "x", value: .string(UTF8Text(text)))
        try self.fixture.commit([
            DocumentChange(
                database: database ?? self.database,
                path: try path("c/\(number)"),
                outcome: .set(
                    EncodedFields(encoding: [entry, Value.MapEntry(key: "y", value: entry.value)]),
                    createTime: nil
                )
            )
        ])
    }

    func definition(
        _ field: String,
        _ kind: IndexDefinition.Part.Kind = .ascending,
        collection: UTF8Text = "c"
    ) throws -> IndexDefinition {
        let path = try FieldPath(parsing: field.utf8)
        return IndexDefinition(collectionID: collection, scope: .collection, parts: [IndexDefinition.Part(path, kind)])
    }

    func request(_ field: String, in database: DatabaseHandle? = nil, collection: UTF8Text = "c") throws {
        let definition = try self.definition(field, collection: collection)
        self.store.requestIndex(definition, in: database ?? self.database)
    }

    func buildAll() { while self.store.indexStep() {} }

    /// Asks for an index and builds all.
    func build(_ field: String, in database: DatabaseHandle? = nil, collection: UTF8Text = "c") throws {
        try self.request(field, in: database, collection: collection)
        self.buildAll()
    }

    /// Uses an index as queries do; false when there is none.
    @discardableResult
    func use(_ field: String, in database: DatabaseHandle? = nil, times: Int = 3) throws -> Bool {
        for _ in 0..<times {
            let index = self.store.readyIndex(try self.definition(field), in: database ?? self.database)
            guard let index else { return false }
            self.store.markUsed([index])
        }
        return true
    }

    /// The fields of the indexes in a state, in the order of requests.
    func fields(_ state: IndexDescription.State, in database: DatabaseHandle? = nil) -> [String] {
        self.store.indexes()
            .filter { $0.state == state && $0.database == (database ?? self.database).name }
            .map { String($0.definition.properties.dropFirst().prefix { $0 != " " }) }
    }

    /// What all indexes of a database count as.
    func cost(of database: DatabaseHandle) -> Int {
        database.order.withLock { $0.indexes.reduce(0) { $0 + $1.counts.cost } }
    }

    func wait(_ seconds: Int64) { self.fixture.wait(.seconds(seconds)) }
}
