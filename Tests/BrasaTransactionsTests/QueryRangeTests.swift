import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import Testing

/// What a query in a transaction keeps others from changing (reference, 6.2.2): the documents that it finds and those that
/// it would find, exactly.
@Suite("Queries in transactions")
struct QueryRangeTests {
    let bench: Bench

    init() throws {
        self.bench = try Bench()
        _ = self.bench.commit(nil, self.bench.set("c/a", 1), self.bench.set("c/b", 5), self.bench.set("c/c", 9))
        self.bench.settle()
    }

    /// Documents of `c` whose number is at least this, by the number.
    private func atLeast(_ number: Int64, limit: Int32? = nil, group: Bool = false) throws -> Query {
        let field = try FieldPath(parsing: Array("n".utf8))
        let structured = StructuredQuery(
            from: [StructuredQuery.CollectionSelector(collectionID: "c", allDescendants: group)],
            filter: .field(field, .greaterThanOrEqual, .integer(number)),
            orderBy: [StructuredQuery.Order(field: field, direction: .ascending)],
            limit: limit
        )
        let parent = try #require(ParentName(database: self.bench.database.name, path: .root))
        return try Query(structured, parent: parent)
    }

    /// A transaction that has run the query.
    private func scanning(_ query: Query, _ mode: TransactionMode = .readWrite()) throws -> TransactionID {
        let id = try self.bench.begin(mode)
        let scan = self.bench.scan(id, QueryRange(query))
        self.bench.settle()
        try #require(scan.isSuccess)
        return id
    }

    // MARK: Who waits

    @Test("a write waits if it changes, adds or takes away a result, and no other does")
    func exactly() throws {
        let id = try self.scanning(self.atLeast(5))
        let waiting = [
            bench.commit(nil, bench.set("c/b", 6)), bench.commit(nil, bench.set("c/b", 0)),
            bench.commit(nil, bench.delete("c/c")), bench.commit(nil, bench.set("c/new", 7)),
            bench.commit(nil, bench.set("d/x", 1), bench.set("c/x", 8)),
        ]
        let passing = [
            bench.commit(nil, bench.set("c/a", 2)), bench.commit(nil, bench.set("c/other", 4)),
            bench.commit(nil, bench.delete("c/other")), bench.commit(nil, bench.set("c/a/c/deep", 9)),
            bench.commit(nil, bench.set("d/y", 7)),
        ]
        bench.settle()
        #expect(waiting.allSatisfy { !$0.isThere })
        #expect(passing.allSatisfy { $0.isSuccess })
        #expect(bench.commit(id).isSuccess)
        bench.settle()
        #expect(waiting.allSatisfy { $0.isSuccess })
    }

    @Test("a collection group's query guards every depth")
    func collectionGroup() throws {
        let id = try self.scanning(self.atLeast(5, group: true))
        let deep = bench.commit(nil, bench.set("x/y/c/deep", 9))
        let small = bench.commit(nil, bench.set("x/y/c/small", 1))
        bench.settle()
        #expect(!deep.isThere)
        #expect(small.isSuccess)
        #expect(bench.rollback(id) == nil)
        bench.settle()
        #expect(deep.isSuccess)
    }

    @Test("of many queries each guards what it may find, whichever part of the database it looks at")
    func everyScope() throws {
        let parents = ["", "c/a", "c/b", "x/y", "c/a/c/b"]
        let paths = ["c/a", "d/a", "c/a/c/b", "c/a/d/b", "c/b/c/a", "x/y/c/a", "x/y/c/a/d/b", "c/a/c/b/c/d"]
        for parent in parents {
            for collectionID in ["c", "d", nil] as [UTF8Text?] {
                for allDescendants in [false, true] {
                    let range = NameRange(
                        parent: parent.isEmpty ? .root : Bench.path(parent),
                        collectionID: collectionID,
                        allDescendants: allDescendants
                    )
                    let bench = try Bench()
                    let id = try bench.begin()
                    let others = try bench.begin()
                    // Others of the same kind, that find none of these.
                    for name in ["q", "r"] {
                        #expect(bench.scan(others, Bench.collection(name)).isSuccess)
                        let deep = NameRange(parent: Bench.path("q/\(name)"), collectionID: nil, allDescendants: true)
                        #expect(bench.scan(others, deep).isSuccess)
                    }
                    #expect(bench.scan(id, range).isSuccess)
                    let writes = paths.map { bench.commit(nil, bench.set($0, 1)) }
                    bench.settle()
                    for (path, write) in zip(paths, writes) {
                        #expect(write.isSuccess != range.contains(Bench.path(path)), "\(path) and \(range)")
                    }
                    #expect(bench.rollback(id) == nil)
                    bench.settle()
                    #expect(writes.allSatisfy { $0.isSuccess })
                }
            }
        }
    }

    @Test("what a merge or a transform makes of a document decides, not what the write says")
    func evaluated() throws {
        let id = try self.scanning(self.atLeast(3))
        let first = bench.commit(nil, try bench.increment("c/a", by: 1))
        let second = bench.commit(nil, try bench.increment("c/a", by: 1))
        bench.settle()
        #expect(first.isSuccess)
        #expect(!second.isThere)
        #expect(bench.rollback(id) == nil)
        bench.settle()
        #expect(try second.value.results[0].transformResults == [.integer(3)])
        #expect(try second.value.results[0].updateTime == second.value.commitTime)
    }

    @Test("writes that change nothing, and commits that fail, wait for no query")
    func unchanging() throws {
        _ = try self.scanning(self.atLeast(5))
        let same = bench.commit(nil, bench.set("c/b", 5))
        let failed = bench.commit(nil, bench.set("c/b", 6, .exists(false)))
        bench.settle()
        #expect(same.isSuccess)
        #expect(failed.error?.code == .alreadyExists)
        #expect(try bench.stored("c/b") == 5)
    }

    @Test("behind the last result of a limited query others may write")
    func limited() throws {
        let query = try self.atLeast(1, limit: 2)
        let id = try bench.begin()
        let grant = try bench.scan(id, QueryRange(query)).value
        let key = try #require(query.order.key(path: Bench.path("c/b"), fields: Bench.fields(5)))
        let beyond = bench.commit(nil, bench.set("c/c", 10))
        bench.settle()
        #expect(!beyond.isThere)
        bench.transactions.narrowScan(
            transaction: id,
            database: bench.database,
            grant,
            to: QueryRange(query, through: key)
        )
        bench.settle()
        #expect(beyond.isSuccess)
        let waiting = [bench.commit(nil, bench.set("c/c", 4)), bench.commit(nil, bench.set("c/b", 20))]
        bench.settle()
        #expect(waiting.allSatisfy { !$0.isThere })
    }

    @Test("a request's time that brings a document into the range is the one that is written")
    func requestTime() throws {
        let field = try FieldPath(parsing: Array("t".utf8))
        let structured = StructuredQuery(
            from: [StructuredQuery.CollectionSelector(collectionID: "c")],
            filter: .field(field, .greaterThan, .timestamp(bench.server.store.strongReadTime()))
        )
        let parent = try #require(ParentName(database: bench.database.name, path: .root))
        let id = try self.scanning(try Query(structured, parent: parent))
        let touch = Write(
            name: bench.name("c/a"),
            operation: .merge(.empty, mask: []),
            transforms: [FieldTransform(path: field, operation: .requestTime)]
        )
        let waiting = bench.commit(nil, touch)
        bench.settle()
        #expect(!waiting.isThere)
        #expect(bench.rollback(id) == nil)
        bench.settle()
        let commit = try waiting.value
        #expect(commit.results[0].transformResults == [.timestamp(commit.commitTime)])
    }

    // MARK: Order among those who wait

    @Test("a query waits behind an older commit into its range, not behind one beside it")
    func queriesQueue() throws {
        let holder = try bench.holding("c/a")
        let plain = bench.commit(nil, bench.set("c/a", 7))
        let meets = try bench.begin()
        let passes = try bench.begin()
        let waiting = bench.scan(meets, QueryRange(try self.atLeast(6)))
        let passing = bench.scan(passes, QueryRange(try self.atLeast(8)))
        bench.settle()
        #expect(!waiting.isThere)
        #expect(passing.isSuccess)
        #expect(bench.rollback(holder) == nil)
        bench.settle()
        #expect(try waiting.value.readTime >= plain.value.commitTime)
    }

    @Test("of two that run the same query and then add to it, the older succeeds: no write skew")
    func writeSkew() throws {
        let older = try self.scanning(self.atLeast(5))
        let younger = try self.scanning(self.atLeast(5))
        let lost = bench.commit(younger, bench.set("c/y", 6))
        bench.settle()
        #expect(!lost.isThere)
        let won = bench.commit(older, bench.set("c/x", 6))
        bench.settle()
        #expect(won.isSuccess)
        #expect(lost.error == .contention)
    }

    @Test("a commit whose document has changed meanwhile takes a younger query's locks when its turn comes")
    func changedWhileWaiting() throws {
        let oldest = try bench.holding("c/a")
        let middle = try bench.holding("c/d")
        let commit = bench.commit(middle, bench.set("c/d", 1), try bench.increment("c/a", by: 1))
        let youngest = try self.scanning(self.atLeast(7))
        bench.settle()
        #expect(!commit.isThere)
        // The increment now leads into the query's range.
        let first = bench.commit(oldest, bench.set("c/a", 6))
        bench.settle()
        #expect(first.isSuccess)
        #expect(commit.isSuccess)
        #expect(try bench.stored("c/a") == 7)
        #expect(bench.commit(youngest, bench.set("c/e", 1)).error == .contention)
    }

    @Test("a commit that no longer meets a query when a document has changed goes ahead at once")
    func changedOutOfTheRange() throws {
        let scanner = try self.scanning(self.atLeast(9))
        let writer = try bench.holding("c/a")
        _ = bench.commit(nil, bench.set("c/a", 8))
        let waiting = bench.commit(nil, try bench.increment("c/a", by: 1))
        bench.settle()
        #expect(!waiting.isThere)
        // Both wait for the lock on the document; behind it the increment would meet the query.
        #expect(bench.commit(writer, bench.set("c/a", 2)).error == nil)
        bench.settle()
        #expect(try bench.stored("c/a") == 8)
        #expect(!waiting.isThere)
        let reset = try bench.begin()
        #expect(bench.rollback(reset) == nil)
        #expect(bench.rollback(scanner) == nil)
        bench.settle()
        #expect(waiting.isSuccess)
        #expect(try bench.stored("c/a") == 9)
    }

    @Test("a commit that was weighed against a query is worked out anew when one before it has changed its document")
    func weighedBeforeAnother() throws {
        let holder = try self.scanning(self.atLeast(1))
        let first = bench.commit(nil, bench.set("c/c", 10))
        let second = bench.commit(nil, bench.set("c/a", 2))
        let third = bench.commit(nil, try bench.increment("c/a", by: 1), bench.set("c/d", 8))
        // Waits for the first; is looked at again when that is done, and then meets the third, before the second goes.
        let scan = bench.scan(try bench.begin(), QueryRange(try self.atLeast(6)))
        bench.settle()
        #expect(!first.isThere && !second.isThere && !third.isThere && !scan.isThere)
        #expect(bench.rollback(holder) == nil)
        bench.settle()
        #expect(first.isSuccess && second.isSuccess && scan.isSuccess)
        #expect(try third.value.results[0].transformResults == [.integer(3)])
        #expect(try bench.stored("c/a") == 3)
    }

    // MARK: Optimistic

    @Test("an optimistic commit fails exactly when a query's documents have changed")
    func optimistic() throws {
        let writes: [(Write, isSeen: Bool)] = [
            (bench.set("c/a", 2), false), (bench.set("c/b", 6), true), (bench.set("c/new", 7), true),
            (bench.set("c/small", 0), false), (bench.delete("c/c"), true), (bench.delete("c/small"), false),
            (bench.set("c/new", 1), true),
        ]
        for (write, isSeen) in writes {
            let id = try self.scanning(self.atLeast(5), .readWrite(concurrency: .optimistic))
            #expect(bench.commit(nil, write).error == nil)
            bench.settle()
            let commit = bench.commit(id, bench.set("d/x", 1))
            bench.settle()
            #expect(commit.error == (isSeen ? .contention : nil))
        }
    }

    @Test("a document that entered an optimistic query's range and left it again does not count")
    func optimisticThereAndBack() throws {
        let id = try self.scanning(self.atLeast(5), .readWrite(concurrency: .optimistic))
        for number in [8, 2] as [Int64] {
            _ = bench.commit(nil, bench.set("c/a", number))
            bench.settle()
        }
        let commit = bench.commit(id, bench.set("d/x", 1))
        bench.settle()
        #expect(commit.isSuccess)
    }

    @Test("behind the last result of a limited query an optimistic transaction has seen nothing")
    func optimisticLimit() throws {
        let query = try self.atLeast(1, limit: 2)
        let id = try bench.begin(.readWrite(concurrency: .optimistic))
        let grant = try bench.scan(id, QueryRange(query)).value
        bench.transactions.narrowScan(
            transaction: id,
            database: bench.database,
            grant,
            to: QueryRange(query, through: query.order.key(path: Bench.path("c/b"), fields: Bench.fields(5)))
        )
        _ = bench.commit(nil, bench.set("c/c", 10))
        bench.settle()
        let commit = bench.commit(id, bench.set("d/x", 1))
        bench.settle()
        #expect(commit.isSuccess)
    }
}
