import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaQueries
import BrasaStore
import BrasaTransactions

/// The rows of `Benchmarks/queries` in a store of their own, 50 of each kind, with the indexes that its queries ask for.
final class Rows: Sendable {
    let store: Store
    private let database: DatabaseHandle
    private let parent: ParentName
    private let transactions: TransactionManager
    private let plans = PlanCache()
    private let names: [DocumentName]
    private let kind: FieldPath
    private let number: FieldPath

    static let perKind = 50
    private static let perCommit = 500

    init(documents: Int, directory: String) throws {
        self.store = try Store.opened(durability: .memory, directory: directory)
        self.store.start()
        self.transactions = TransactionManager(store: self.store, clock: .system, entropy: .system)
        let name = try DatabaseName(project: "load", database: "(default)")
        self.database = self.store.database(name)
        guard let parent = ParentName(database: name, path: .root) else { throw Failed.noParent }
        self.parent = parent
        self.kind = try FieldPath(names: ["kind"])
        self.number = try FieldPath(names: ["number"])
        self.names = try (0..<documents).compactMap { number in
            DocumentName(database: name, path: try ResourcePath(parsing: Array("rows/document-\(number)".utf8)))
        }
        for start in stride(from: 0, to: documents, by: Self.perCommit) {
            let numbers = start..<min(start + Self.perCommit, documents)
            let changes = numbers.map { number in
                let fields = Self.fields(number, text: 0)
                return DocumentChange(
                    database: self.database,
                    path: self.names[number].path,
                    outcome: .set(fields, createTime: nil)
                )
            }
            _ = try self.store.apply(changes: changes, waiter: nil)
        }
        while self.store.step() {}
        for parts in [[self.kind, self.number], [self.kind]] {
            let parts = parts.map { IndexDefinition.Part($0, .ascending) }
            let definition = IndexDefinition(collectionID: "rows", scope: .collection, parts: parts)
            self.store.requestIndex(definition, in: self.database)
        }
        while self.store.indexStep() {}
    }

    enum Failed: Error { case noParent }

    private static func fields(_ number: Int, text: Int) -> EncodedFields {
        EncodedFields(encoding: [
            Value.MapEntry(key: "kind", value: .string(UTF8Text("kind-\(number / Self.perKind)"))),
            Value.MapEntry(key: "number", value: .integer(Int64(number % Self.perKind))),
            Value.MapEntry(key: "text", value: .string(UTF8Text(String(repeating: "x", count: 95) + "\(text)"))),
        ])
    }

    private var kindCount: Int { max(self.names.count / Self.perKind, 1) }

    private func filter(_ number: Int) -> StructuredQuery.Filter {
        .field(self.kind, .equal, .string(UTF8Text("kind-\(number % self.kindCount)")))
    }

    /// What a call asks for, made before the count begins: 20 documents by equality, range and order, or the number of an
    /// equality's.
    func page(_ number: Int) -> StructuredQuery {
        StructuredQuery(
            from: [.init(collectionID: "rows")],
            filter: .composite(
                .and,
                [self.filter(number), .field(self.number, .greaterThanOrEqual, .integer(Int64(number % 30)))]
            ),
            orderBy: [.init(field: self.number, direction: .ascending)],
            limit: 20
        )
    }

    func count(_ number: Int) -> StructuredAggregationQuery {
        StructuredAggregationQuery(
            query: StructuredQuery(from: [.init(collectionID: "rows")], filter: self.filter(number)),
            aggregations: [.init(.count(upTo: nil))]
        )
    }

    /// From what was asked to the documents.
    @inline(never)
    func pageInline(_ structured: StructuredQuery) throws -> Int {
        let query = try Query(structured, parent: self.parent)
        let time = self.store.strongReadTime()
        var scan = try self.store.query(query, in: self.database, at: time, plans: self.plans)
        return try scan.next(query.limit ?? .max).count
    }

    @inline(never)
    func countInline(_ structured: StructuredAggregationQuery) throws -> Int {
        let query = try AggregationQuery(structured, parent: self.parent).query
        let time = self.store.strongReadTime()
        var scan = try self.store.query(query, in: self.database, at: time, isAnyOrder: true, plans: self.plans)
        var count = 0
        while !scan.isAtEnd { count += try scan.skip(.max) }
        return count
    }

    /// Reads all rows by their numbers, again and again; returns how many.
    func walk(while isWanted: () -> Bool) throws -> Int {
        var walked = 0
        let structured = StructuredQuery(
            from: [.init(collectionID: "rows")],
            orderBy: [.init(field: self.kind, direction: .ascending)]
        )
        let all = try Query(structured, parent: self.parent)
        while isWanted() {
            var scan = try self.store.query(all, in: self.database, at: self.store.strongReadTime())
            while !scan.isAtEnd, isWanted() { walked += try scan.next(1_024).count }
        }
        return walked
    }

    /// Counts all rows of an index, again and again; returns how many.
    func countAll(while isWanted: () -> Bool) throws -> Int {
        var counted = 0
        let structured = StructuredQuery(
            from: [.init(collectionID: "rows")],
            filter: .field(self.kind, .greaterThan, .string(""))
        )
        let all = try Query(structured, parent: self.parent)
        while isWanted() {
            let time = self.store.strongReadTime()
            var scan = try self.store.query(all, in: self.database, at: time, isAnyOrder: true)
            while !scan.isAtEnd, isWanted() { counted += try scan.skip(.max) }
        }
        return counted
    }

    /// How long each of some commits took, to its answer, of which none waits for the disk.
    func commit(_ count: Int) -> [Duration] {
        let mailbox = Inline()
        return (0..<count).map { number in
            let row = number &* 7_919 % self.names.count
            let write = Write(name: self.names[row], operation: .set(Self.fields(row, text: number)))
            let start = Clock.system.monotonic()
            self.transactions.commit(
                database: self.database,
                transaction: nil,
                writes: [write],
                reply: Reply(mailbox: mailbox) { _ in }
            )
            return Clock.system.monotonic() - start
        }
    }
}
