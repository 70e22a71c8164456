import BrasaDocuments
import BrasaPlatform
import BrasaQueries
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaTransactions

/// Locks go by the names of database and document, whatever object stands for the database.
@Suite("Locks go by names")
struct LockNameTests {
    let now = MonotonicTime(sinceStart: .zero)
    let bench: Bench
    /// The database of the same name in another store: one store has no two handles of it at once.
    let namesake: DatabaseHandle
    let stranger: DatabaseHandle
    var table: LockTable

    init() throws {
        self.bench = try Bench()
        let other = try Bench()
        self.namesake = other.database
        self.stranger = other.server.database("stranger")
        self.table = LockTable(
            previews: CommitPreviews(
                store: self.bench.server.store,
                budget: TransactionConfiguration().evaluationBudget(of: self.bench.server.store)
            )
        )
    }

    private func key(_ path: String, in database: DatabaseHandle) -> LockKey {
        LockKey(database: database, path: Bench.path(path))
    }

    private func owner(_ sequence: UInt64, in database: DatabaseHandle) -> LockOwner {
        LockOwner(priority: LockPriority(age: sequence, sequence: sequence), database: database)
    }

    @Test func keysOfEqualNamesAreEqual() {
        #expect(self.namesake !== self.bench.database)
        let key = self.key("c/d", in: self.bench.database)
        #expect(key == self.key("c/d", in: self.namesake))
        #expect(key.hashValue == self.key("c/d", in: self.namesake).hashValue)
        #expect(key != self.key("c/d", in: self.stranger))
        #expect(key != self.key("c/e", in: self.bench.database))
    }

    /// A document that is held, and a range, are so for whoever names the database, and waiting ends for them too.
    @Test(arguments: [false, true])
    mutating func whatOneHoldsIsInTheWayOfAll(isRange: Bool) throws {
        let holder = self.owner(1, in: self.bench.database)
        let range = QueryRange(names: NameRange(parent: .root, collectionID: "c", allDescendants: false))
        let read = LockRequest.Kind.read([(self.key("c/d", in: self.bench.database), .shared)])
        let held = LockRequest(owner: holder, kind: isRange ? .scan(range) : read)
        #expect(self.table.acquire(held, now: self.now).isGranted)
        #expect(self.table.rangeCount(in: self.namesake) == (isRange ? 1 : 0))
        #expect(self.table.rangeCount(in: self.stranger) == 0)

        let keys = [self.key("c/d", in: self.namesake)]
        #expect(!self.table.isFree(keys, in: self.namesake))
        let commit = LockRequest(owner: self.owner(2, in: self.namesake), kind: .commit(keys))
        #expect(!self.table.acquire(commit, now: self.now).isGranted)
        let other = [self.key("c/d", in: self.stranger)]
        #expect(self.table.isFree(other, in: self.stranger))

        self.table.release(holder)
        #expect(self.table.nextGranted(now: self.now)?.request === commit)
        #expect(self.table.isEmpty)
    }
}
