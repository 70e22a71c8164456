import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaTransactions

/// Circles through queries: a scan waits for older commits that would change its result, a commit for older scans.
extension WaitCircleTests {
    /// The documents of `d` whose number is at least 5.
    private func large() throws -> QueryRange {
        let field = try FieldPath(parsing: Array("n".utf8))
        let structured = StructuredQuery(
            from: [StructuredQuery.CollectionSelector(collectionID: "d", allDescendants: false)],
            filter: .field(field, .greaterThanOrEqual, .integer(5)),
            orderBy: [StructuredQuery.Order(field: field, direction: .ascending)]
        )
        let parent = try #require(ParentName(database: self.bench.database.name, path: .root))
        return QueryRange(try Query(structured, parent: parent))
    }

    private mutating func scan(by owner: LockOwner) throws -> LockTable.Decision {
        self.table.acquire(LockRequest(owner: owner, kind: .scan(try self.large())), now: Self.now)
    }

    private mutating func commit(_ write: Write, by owner: LockOwner) -> LockTable.Decision {
        let key = LockKey(database: self.bench.database, path: write.name.path)
        let reply = Answer<CommitResult>().reply(on: self.bench.mailbox)
        let order = CommitOrder([write], in: self.bench.database, refusal: nil, reply: reply)
        let commit = PendingCommit(transaction: nil, order: order)
        let request = LockRequest(owner: owner, kind: .commit([key]), work: .commit(commit))
        return self.table.acquire(request, now: Self.now)
    }

    /// Beside the table, so that what waits there finds another state.
    private func store(_ path: String, _ number: Int64) {
        _ = self.bench.commit(nil, self.bench.set(path, number))
        self.bench.settle()
        self.table.previews.forget()
    }

    // MARK: How much is looked at

    @Test("of the scans and commits that wait, each is looked at a few times at most, and hardly any worked out")
    mutating func linearInRanges() throws {
        self.makeHot("c/hot")
        let holder = self.owner(age: 2)
        func waits(_ decision: LockTable.Decision) { #expect(!decision.isGranted && decision.wounded.isEmpty) }
        // The first ones have the others older than them, so that each arrival is waited for.
        for (path, number, age) in [("d/first", 7, 3), ("d/young", 7, 1_000_000)] as [(String, Int64, UInt64)] {
            #expect(self.read(path, .shared, by: holder).isGranted)
            waits(self.commit(self.bench.set(path, number), by: self.owner(age: age)))
        }
        waits(try self.scan(by: self.owner(age: 1_000_001)))
        // Half of the commits do nothing to any scan.
        for number in 0..<200 {
            let path = "d/\(number)"
            #expect(self.read(path, .shared, by: holder).isGranted)
            let owner = self.owner()
            let (steps, writes) = (self.table.circleSteps, self.table.previews.workedOut)
            if number % 2 == 0 {
                waits(self.commit(self.bench.set(path, number % 4 == 0 ? 7 : 0), by: owner))
            } else {
                waits(try self.scan(by: owner))
            }
            #expect(self.table.circleSteps > steps)
            #expect(self.table.circleSteps - steps <= 8 * (number + 4))
            #expect(self.table.previews.workedOut - writes <= 4)
        }
    }

    @Test("of the ranges that are held, each is looked at a few times at most")
    mutating func linearInHolds() throws {
        self.makeHot("c/hot")
        for _ in 0..<100 { #expect(try self.scan(by: self.owner(age: 2)).isGranted) }
        #expect(!self.commit(self.bench.set("d/young", 7), by: self.owner(age: 1_000_000)).isGranted)
        for number in 0..<100 {
            #expect(!self.commit(self.bench.set("d/\(number)", 7), by: self.owner()).isGranted)
            let (steps, writes) = (self.table.circleSteps, self.table.previews.workedOut)
            #expect(try !self.scan(by: self.owner()).isGranted)
            #expect(self.table.circleSteps - steps >= 100)
            #expect(self.table.circleSteps - steps <= 8 * (number + 100))
            #expect(self.table.previews.workedOut - writes <= 4)
        }
    }

    @Test("reads that wait for a younger holder in one database start no search in another")
    mutating func otherDatabase() throws {
        let other = self.bench.server.database("other")
        let key = LockKey(database: other, path: Bench.path("c/hot"))
        for (owner, isGranted) in [(self.owner(in: other), true), (self.owner(age: 1, in: other), false)] {
            let request = LockRequest(owner: owner, kind: .read([(key, .update)]))
            #expect(self.table.acquire(request, now: Self.now).isGranted == isGranted)
        }
        let holder = self.owner()
        #expect(self.read("d/a", .shared, by: holder).isGranted)
        #expect(self.read("d/b", .shared, by: self.owner(age: 2)).isGranted)
        #expect(!self.commit("d/a", by: self.owner()).isGranted)
        #expect(!self.commit("d/b", by: holder).isGranted)
        #expect(self.table.circleSteps == 0)
    }

    // MARK: What is found

    @Test("a circle through a scan and a commit is found, and its youngest member loses", arguments: [0, 600])
    mutating func circleThroughScan(beside others: Int) throws {
        let old = self.owner(age: 1)
        #expect(self.read("d/a", .shared, by: old).isGranted)
        for number in 0..<others {
            // They wait as well, and do nothing to the scan.
            #expect(self.read("d/\(number)", .shared, by: old).isGranted)
            #expect(!self.commit(self.bench.set("d/\(number)", 0), by: self.owner()).isGranted)
        }
        // What the scan is known to wait for is in no circle.
        #expect(self.read("d/b", .shared, by: self.owner()).isGranted)
        #expect(!self.commit(self.bench.set("d/b", 7), by: self.owner()).isGranted)
        #expect(!self.commit(self.bench.set("d/a", 7), by: self.owner()).isGranted)
        let young = self.owner()
        #expect(self.read("c/hot", .update, by: young).isGranted)
        #expect(try !self.scan(by: young).isGranted)
        let before = self.table.previews.workedOut
        let last = self.read("c/hot", .update, by: old)
        #expect(last.wounded.map(\.owner.priority) == [young.priority])
        // Even if that takes assuming what there was no effort left to find out.
        #expect(self.table.previews.workedOut - before <= LockTable.circleEffortMax / 32 + 2)
    }

    @Test("a scan that was found to wait for a commit is in its circle, whatever the commit would do by now")
    mutating func circleThroughStaleScan() throws {
        self.store("d/a", 6)
        let old = self.owner(age: 1)
        #expect(self.read("d/a", .shared, by: old).isGranted)
        #expect(!self.commit(try self.bench.increment("d/a", by: 1), by: self.owner()).isGranted)
        let young = self.owner()
        #expect(self.read("c/hot", .update, by: young).isGranted)
        #expect(try !self.scan(by: young).isGranted)
        self.store("d/a", 0)
        let last = self.read("c/hot", .update, by: old)
        #expect(last.wounded.map(\.owner.priority) == [young.priority])
    }

    @Test("a circle through a range that is held is found, and its youngest member loses")
    mutating func circleThroughHold() throws {
        let old = self.owner(age: 1)
        #expect(try self.scan(by: old).isGranted)
        let young = self.owner()
        #expect(self.read("c/hot", .update, by: young).isGranted)
        #expect(!self.commit(self.bench.set("d/new", 7), by: young).isGranted)
        let last = self.read("c/hot", .update, by: old)
        #expect(last.wounded.map(\.owner.priority) == [young.priority])
    }

    @Test("a commit in the queried collection that does nothing to the query closes no circle")
    mutating func noCircleByName() throws {
        let old = self.owner(age: 1)
        #expect(self.read("d/a", .shared, by: old).isGranted)
        #expect(self.read("d/b", .shared, by: self.owner()).isGranted)
        #expect(!self.commit(self.bench.set("d/a", 0), by: self.owner()).isGranted)
        #expect(!self.commit(self.bench.set("d/b", 7), by: self.owner()).isGranted)
        let young = self.owner()
        #expect(self.read("c/hot", .update, by: young).isGranted)
        #expect(try !self.scan(by: young).isGranted)
        let last = self.read("c/hot", .update, by: old)
        #expect(!last.isGranted && last.wounded.isEmpty)
    }

    @Test(
        "a younger one's range that a commit has come to meet closes no circle: it is taken when the commit's turn comes"
    )
    mutating func noCircleThroughYounger() throws {
        self.makeHot("c/hot")
        self.store("d/a", 1)
        #expect(self.read("d/a", .shared, by: self.owner()).isGranted)
        #expect(!self.commit(try self.bench.increment("d/a", by: 1), by: self.owner()).isGranted)
        let young = self.owner()
        #expect(try self.scan(by: young).isGranted)
        self.store("d/a", 5)
        let last = self.read("d/a", .shared, by: young)
        #expect(!last.isGranted && last.wounded.isEmpty)
    }

    // MARK: Whatever happens

    @Test("of random transactions none are left waiting for each other")
    func noCircleIsLeft() throws {
        var circles = 0
        for seed in UInt64(0)..<12 {
            var test = try WaitCircleTests()
            circles += try test.circles(ofRandom: seed)
        }
        #expect(circles > 5)
    }

    /// How many were found.
    private mutating func circles(ofRandom seed: UInt64) throws -> Int {
        var random = SeededRandom(seed: seed)
        var owners: [LockOwner] = []
        var circles = 0
        for _ in 0..<200 {
            let idle = owners.filter { $0.waiting.isEmpty && !$0.isWounded }
            let isNew = idle.isEmpty || Int.random(in: 0..<4, using: &random) == 0
            let owner =
                isNew ? self.owner(age: .random(in: 1..<1_000, using: &random)) : idle.randomElement(using: &random)
            guard let owner else { continue }
            if isNew { owners.append(owner) }
            let path = "d/\(Int.random(in: 0..<8, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0: circles += try self.scan(by: owner).wounded.count
            case 1:
                let commit = self.commit(self.bench.set(path, Bool.random(using: &random) ? 7 : 0), by: owner)
                if commit.isGranted { self.end(owner, &owners) }
            default:
                if self.table.entries[self.key(path)]?.mode(of: owner) != nil { continue }
                let mode: LockMode = Bool.random(using: &random) ? .update : .shared
                circles += self.read(path, mode, by: owner).wounded.count
            }
            while let (request, _) = self.table.nextGranted(now: Self.now) {
                if request.isCommit { self.end(request.owner, &owners) }
            }
            self.table.previews.forget()
            #expect(!self.hasCircle(owners), "with seed \(seed)")
        }
        return circles
    }

    private mutating func end(_ owner: LockOwner, _ owners: inout [LockOwner]) {
        self.table.release(owner)
        owners.removeAll { $0 === owner }
    }

    /// Looks at every wait: who waits only for those who do not wait is taken away until nobody is left, or a circle.
    private func hasCircle(_ owners: [LockOwner]) -> Bool {
        var waits: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
        for owner in owners where !owner.waiting.isEmpty {
            var others: Set<ObjectIdentifier> = []
            for request in owner.waiting {
                _ = self.table.forEachBlocker(of: request) { other in
                    // A commit wounds those.
                    if !request.isCommit || other.priority < owner.priority { others.insert(ObjectIdentifier(other)) }
                    return true
                }
            }
            waits[ObjectIdentifier(owner)] = others
        }
        while let free = waits.first(where: { _, others in others.allSatisfy { waits[$0] == nil } })?.key {
            waits[free] = nil
        }
        return !waits.isEmpty
    }
}
