import BrasaDocuments
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaTransactions

/// The search for circles of waiting owners: whom it finds, and how much it looks at while all others wait.
@Suite("Circles of waiting transactions")
struct WaitCircleTests {
    static let now = MonotonicTime(sinceStart: .zero)
    let bench: Bench
    var table: LockTable
    private var lastSequence: UInt64 = 1_000

    init() throws {
        self.bench = try Bench()
        self.table = LockTable(
            previews: CommitPreviews(
                store: bench.server.store,
                budget: TransactionConfiguration().evaluationBudget(of: bench.server.store)
            )
        )
    }

    func key(_ path: String) -> LockKey {
        LockKey(database: self.bench.database, path: Bench.path(path))
    }

    mutating func owner(age: UInt64? = nil, in database: DatabaseHandle? = nil) -> LockOwner {
        self.lastSequence += 1
        let priority = LockPriority(age: age ?? self.lastSequence, sequence: self.lastSequence)
        let id = TransactionID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: self.lastSequence >> (8 * ($0 % 8))) })
        return LockOwner(priority: priority, database: database ?? self.bench.database, transaction: id)
    }

    mutating func read(_ path: String, _ mode: LockMode, by owner: LockOwner) -> LockTable.Decision {
        self.table.acquire(LockRequest(owner: owner, kind: .read([(self.key(path), mode)])), now: Self.now)
    }

    mutating func commit(_ path: String, by owner: LockOwner) -> LockTable.Decision {
        self.table.acquire(LockRequest(owner: owner, kind: .commit([self.key(path)])), now: Self.now)
    }

    /// Somebody waits for a younger holder, so that each new wait looks for a circle.
    mutating func makeHot(_ path: String) {
        let holder = self.owner()
        #expect(self.read(path, .update, by: holder).isGranted)
        #expect(!self.read(path, .update, by: self.owner(age: 1)).isGranted)
    }

    /// How much each of the next arrivals made the table look at.
    mutating func steps(of count: Int, _ arrive: (inout Self, Int) -> Void) -> [Int] {
        (0..<count).map { number in
            let before = self.table.circleSteps
            arrive(&self, number)
            return self.table.circleSteps - before
        }
    }

    @Test("who holds nothing and joins a line at its end costs no search, however long the line is")
    mutating func newcomers() {
        self.makeHot("c/hot")
        let steps = self.steps(of: 500) { test, number in
            let owner = test.owner()
            #expect(test.read("d/\(number)", .shared, by: owner).isGranted)
            #expect(!test.read("c/hot", .update, by: owner).isGranted)
        }
        #expect(steps.allSatisfy { $0 == 0 })
    }

    @Test("that there were locks on many documents leaves no room for them")
    mutating func room() {
        let owners = (0..<5_000).map { number in
            let owner = self.owner()
            #expect(self.read("d/\(number)", .shared, by: owner).isGranted)
            return owner
        }
        #expect(self.table.entries.capacity >= 5_000)
        for owner in owners { self.table.release(owner) }
        #expect(self.table.isEmpty && self.table.entries.capacity < 1_100)
    }

    @Test("for whom others wait, each place in the line is looked at a few times at most", arguments: [false, true])
    mutating func awaited(mixed: Bool) {
        self.makeHot("c/hot")
        let steps = self.steps(of: 500) { test, number in
            let owner = test.owner()
            #expect(test.read("d/\(number)", .shared, by: owner).isGranted)
            #expect(!test.commit("d/\(number)", by: test.owner()).isGranted)
            switch mixed ? number % 3 : 0 {
            case 0: #expect(!test.read("c/hot", .update, by: owner).isGranted)
            case 1: #expect(!test.commit("c/hot", by: owner).isGranted)
            default: #expect(!test.read("c/hot", .shared, by: owner).isGranted)
            }
        }
        #expect(steps.max() ?? 0 > 500)
        for (line, count) in steps.enumerated() { #expect(count <= 8 * (line + 4)) }
    }

    @Test("a circle through a line is found, and its youngest member loses", arguments: [0, 1, 40])
    mutating func circle(between: Int) {
        // P, young, holds what O waits for; O's other hold is waited for by P, behind others.
        let old = self.owner(age: 1)
        #expect(self.read("c/own", .update, by: old).isGranted)
        let young = self.owner()
        #expect(self.read("c/hot", .update, by: young).isGranted)
        for number in 0..<between {
            #expect(!self.read("c/own", .update, by: self.owner(age: UInt64(2 + number))).isGranted)
        }
        let first = self.read("c/own", .update, by: young)
        #expect(!first.isGranted && first.wounded.isEmpty)
        let last = self.read("c/hot", .update, by: old)
        #expect(last.wounded.map(\.owner.priority) == [young.priority])
    }
}
