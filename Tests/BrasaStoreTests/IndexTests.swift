import BrasaDocuments
import BrasaLog
import BrasaQueries
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// The life of indexes: asked for, built, used, dropped.
@Suite struct IndexTests {
    private func definition(
        _ field: String,
        _ kind: IndexDefinition.Part.Kind = .ascending,
        collection: UTF8Text = "c"
    ) throws -> IndexDefinition {
        let path = try FieldPath(parsing: field.utf8)
        return IndexDefinition(collectionID: collection, scope: .collection, parts: [IndexDefinition.Part(path, kind)])
    }

    /// A store with documents whose field `x` is a string of some length.
    private func fixture(
        documents: Int,
        textBytes: Int = 10,
        _ adjust: (inout Store.Configuration) -> Void = { _ in }
    ) throws -> (StoreFixture, DatabaseHandle) {
        let fixture = try StoreFixture(adjust)
        let database = fixture.store.database(try databaseName())
        for number in 0..<documents { try self.write(number, textBytes: textBytes, fixture, database) }
        return (fixture, database)
    }

    private func write(_ number: Int, textBytes: Int, _ fixture: StoreFixture, _ database: DatabaseHandle) throws {
        let text = "\(number)" + String(repeating: "x", count: textBytes)
        let entry = Value.MapEntry(key: "x", value: .string(UTF8Text(text)))
        let change = DocumentChange(
            database: database,
            path: try path("c/\(number)"),
            outcome: .set(
                EncodedFields(encoding: [entry, Value.MapEntry(key: "y", value: entry.value)]),
                createTime: nil
            )
        )
        _ = try fixture.store.apply(changes: [change], waiter: nil)
        fixture.flush()
    }

    @Test func anIndexIsReadyWhenItIsBuiltAndListedWithItsUses() throws {
        let (fixture, database) = try self.fixture(documents: 50)
        let index = try self.definition("x", .descending)
        #expect(!fixture.store.indexStep())
        fixture.store.requestIndex(index, in: database)
        fixture.store.requestIndex(index, in: database)
        #expect(fixture.store.readyIndex(index, in: database) == nil)
        #expect(fixture.store.indexes().map(\.state) == [.building])
        while fixture.store.indexStep() {}
        for _ in 0..<3 { #expect(fixture.store.useIndex(index, in: database)) }
        #expect(fixture.store.statistics.indexes == [.ready: 1])
        let listed = try #require(fixture.store.indexes().first)
        #expect(fixture.store.indexes().count == 1)
        #expect(listed.state == .ready && listed.entries == 50 && listed.uses == 3)
        #expect(listed.bytes > 50 * 20 && listed.bytes < 50 * 400)
        #expect(listed.definition.properties == "(x DESC, __name__ ASC)")
        #expect(listed.created <= listed.lastUsed ?? .earliest)
    }

    @Test func anIndexThatNobodyUsesIsDropped() throws {
        let (fixture, database) = try self.fixture(documents: 20) { $0.indexIdle = .seconds(60) }
        let (used, idle) = (try self.definition("x"), try self.definition("y"))
        for index in [used, idle] { fixture.store.requestIndex(index, in: database) }
        while fixture.store.indexStep() {}
        for _ in 0..<5 {
            fixture.clock.advance(microseconds: 20_000_000)
            #expect(fixture.store.useIndex(used, in: database))
        }
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.definition) == [used])
        // A query that reads an index keeps it however long it takes.
        let held = try #require(fixture.store.readyIndex(used, in: database))
        fixture.clock.advance(microseconds: 100_000_000)
        #expect(!fixture.store.indexStep())
        #expect(self.count(held) == 20)
    }

    /// Nil when the index was dropped.
    private func count(_ index: Index) -> Int? {
        index.read(
            IndexReading(
                position: .start,
                end: .end,
                time: .max,
                isDescending: false,
                isCounting: true,
                needsPlaces: false,
                budget: ScanBudget(entries: 1_000)
            )
        )?
        .count
    }

    @Test func aBuildThatDoesNotFitIsGivenUpForAWhile() throws {
        let (fixture, database) = try self.fixture(documents: 300, textBytes: 1_000) {
            $0.indexBytesMax = 100_000
            $0.indexRetry = .seconds(60)
        }
        let index = try self.definition("x")
        fixture.store.requestIndex(index, in: database)
        while fixture.store.indexStep(budget: 10) {}
        let listed = try #require(fixture.store.indexes().first)
        #expect(fixture.store.statistics.indexes == [.doesNotFit: 1])
        #expect(listed.state == .doesNotFit && listed.bytes == 0 && listed.entries == 0)
        fixture.store.requestIndex(index, in: database)
        #expect(!fixture.store.indexStep())
        #expect(database.order.withLock { $0.indexes.isEmpty })
        fixture.clock.advance(microseconds: 60_000_000)
        fixture.store.requestIndex(index, in: database)
        #expect(fixture.store.indexes().map(\.state) == [.building])
    }

    @Test func aBuildTakesRoomFromIndexesThatRest() throws {
        let (fixture, database) = try self.fixture(documents: 100, textBytes: 1_000) {
            $0.indexBytesMax = 180_000
            $0.indexRetry = .seconds(60)
        }
        let (first, second) = (try self.definition("x"), try self.definition("y"))
        fixture.store.requestIndex(first, in: database)
        while fixture.store.indexStep() {}
        fixture.store.requestIndex(second, in: database)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.state) == [.ready, .doesNotFit])
        fixture.clock.advance(microseconds: 61_000_000)
        fixture.store.requestIndex(second, in: database)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.definition) == [second])
        #expect(fixture.store.readyIndex(second, in: database) != nil)
        #expect(fixture.store.readyIndex(first, in: database) == nil)
    }

    @Test func whatGrowsOverTheBoundIsDroppedEvenWhileItIsRead() throws {
        let (fixture, database) = try self.fixture(documents: 100, textBytes: 1_000) { $0.indexBytesMax = 300_000 }
        let index = try self.definition("x")
        fixture.store.requestIndex(index, in: database)
        while fixture.store.indexStep() {}
        let held = try #require(fixture.store.readyIndex(index, in: database))
        #expect(self.count(held) == 100)
        for number in 100..<300 { try self.write(number, textBytes: 1_000, fixture, database) }
        #expect(self.count(held) == 300)
        while fixture.store.indexStep() {}
        #expect(self.count(held) == nil)
        #expect(fixture.store.indexes().isEmpty)
    }

    @Test func moreIndexesThanAllowedHaveToRestFirst() throws {
        let (fixture, database) = try self.fixture(documents: 3) {
            $0.indexesMax = 2
            $0.indexRetry = .seconds(60)
        }
        for field in ["a", "b", "b", "c", "c"] { fixture.store.requestIndex(try self.definition(field), in: database) }
        while fixture.store.indexStep() {}
        #expect(try fixture.store.indexes().map(\.definition) == [self.definition("a"), self.definition("b")])
        fixture.clock.advance(microseconds: 61_000_000)
        #expect(fixture.store.useIndex(try self.definition("a"), in: database))
        for _ in 0..<2 { fixture.store.requestIndex(try self.definition("c"), in: database) }
        while fixture.store.indexStep() {}
        #expect(try fixture.store.indexes().map(\.definition) == [self.definition("a"), self.definition("c")])
    }

    @Test func whenManyAreThereAnIndexHasToBeAskedForAgain() throws {
        let (fixture, database) = try self.fixture(documents: 3) {
            $0.indexesMax = 8
            $0.indexRetry = .seconds(600)
        }
        let store = fixture.store
        for number in 0..<100 { store.requestIndex(try self.definition("members.u\(number)"), in: database) }
        while store.indexStep() {}
        #expect(store.indexes().count == 4)
        for field in ["x", "y", "x", "y"] { store.requestIndex(try self.definition(field), in: database) }
        while store.indexStep() {}
        #expect(store.indexes().count == 6)
        // What hardly anybody used gives way sooner than what was used.
        for field in ["x", "y"] {
            for _ in 0..<5 { #expect(store.useIndex(try self.definition(field), in: database)) }
        }
        fixture.clock.advance(microseconds: 61_000_000)
        for number in 200..<210 {
            for _ in 0..<2 { store.requestIndex(try self.definition("members.u\(number)"), in: database) }
            while store.indexStep() {}
        }
        #expect(store.indexes().count == 8)
        for field in ["x", "y"] { #expect(store.useIndex(try self.definition(field), in: database)) }
    }

    @Test func oneCollectionTakesNoPlacesFromOthers() throws {
        let (fixture, database) = try self.fixture(documents: 3) { $0.collectionIndexesMax = 2 }
        let store = fixture.store
        for number in 0..<10 {
            for _ in 0..<2 { store.requestIndex(try self.definition("members.u\(number)"), in: database) }
        }
        let other = try self.definition("x", collection: "others")
        store.requestIndex(other, in: database)
        while store.indexStep() {}
        #expect(store.indexes().count == 3)
        #expect(store.indexes().last?.definition == other)
    }

    @Test func anIndexThatFailsAgainIsGivenUpForLonger() throws {
        let (fixture, database) = try self.fixture(documents: 300, textBytes: 1_000) {
            $0.indexBytesMax = 100_000
            $0.indexRetry = .seconds(60)
        }
        let index = try self.definition("x")
        for seconds in [60, 120, 240] as [Int64] {
            fixture.store.requestIndex(index, in: database)
            while fixture.store.indexStep() {}
            fixture.clock.advance(microseconds: (seconds - 1) * 1_000_000)
            fixture.store.requestIndex(index, in: database)
            #expect(fixture.store.indexes().map(\.state) == [.doesNotFit])
            fixture.clock.advance(microseconds: 1_000_000)
        }
        fixture.store.requestIndex(index, in: database)
        #expect(fixture.store.indexes().map(\.state) == [.building])
    }

    @Test func elementsThatAreTheSameCountOnce() throws {
        let (fixture, database) = try self.fixture(documents: 0) { $0.log.segmentBytes = 4 << 20 }
        let elements = (0..<100_000).map { Value.integer(Int64($0 % 7)) }
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "x", value: .array(elements))])
        let change = DocumentChange(
            database: database,
            path: try path("c/same"),
            outcome: .set(fields, createTime: nil)
        )
        _ = try fixture.store.apply(changes: [change], waiter: nil)
        fixture.store.requestIndex(try self.definition("x", .contains), in: database)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.entries) == [7])
    }

    @Test(arguments: [true, false])
    func aDocumentWithTooManyElementsEndsTheIndex(isThereBefore: Bool) throws {
        let (fixture, database) = try self.fixture(documents: 10) { $0.log.segmentBytes = 4 << 20 }
        let elements = (0...IndexDefinition.entriesMax).map { Value.integer(Int64($0)) }
        let large = DocumentChange(
            database: database,
            path: try path("c/large"),
            outcome: .set(EncodedFields(encoding: [Value.MapEntry(key: "x", value: .array(elements))]), createTime: nil)
        )
        if isThereBefore { _ = try fixture.store.apply(changes: [large], waiter: nil) }
        let (contains, whole) = (try self.definition("x", .contains), try self.definition("x"))
        for index in [contains, whole] { fixture.store.requestIndex(index, in: database) }
        while fixture.store.indexStep() {}
        let held = fixture.store.readyIndex(contains, in: database)
        #expect((held == nil) == isThereBefore)
        if !isThereBefore { _ = try fixture.store.apply(changes: [large], waiter: nil) }
        if let held { #expect(self.count(held) == nil) }
        #expect(fixture.store.readyIndex(contains, in: database) == nil)
        while fixture.store.indexStep() {}
        #expect(fixture.store.indexes().map(\.state) == [.abandoned, .ready])
        #expect(fixture.store.indexes().map(\.entries) == [0, 11])
    }

    @Test func pointsPartAGroupEvenly() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        var random = SeededRandom(seed: 3)
        var all: [ResourcePath] = []
        for batch in 0..<40 {
            let changes = try (0..<100).map { number in
                let name =
                    random.chance(1, in: 2) ? "c/\(batch)-\(number)" : "p/\(batch)/q/\(number)/c/\(random.next() % 100)"
                all.append(try path(name))
                return DocumentChange(
                    database: database,
                    path: all[all.count - 1],
                    outcome: .set(.empty, createTime: nil)
                )
            }
            _ = try fixture.store.apply(changes: changes, waiter: nil)
            fixture.flush()
            try fixture.commit(database, (0..<10).map { ("c/\(batch)-0/other/\($0)", "") })
        }
        all.sort()
        let now = fixture.store.strongReadTime()
        for count in [0, 1, 2, 7, 20, Int.max] {
            let points = try fixture.store.partitionPoints(collectionID: "c", count: count, in: database, at: now)
            #expect(points.count <= min(count, 4_000 / 128))
            #expect(points.count >= min(count, 4_000 / 128) - 1)
            #expect(zip(points, points.dropFirst()).allSatisfy { $0 < $1 })
            var lengths: [Int] = []
            var rest = all[...]
            for point in points {
                let part = rest.prefix { $0 < point }
                lengths.append(part.count)
                rest = rest[part.endIndex...]
            }
            lengths.append(rest.count)
            let mean = 4_000 / lengths.count
            #expect(lengths.allSatisfy { abs($0 - mean) < 130 }, "\(lengths)")
        }
        #expect(try fixture.store.partitionPoints(collectionID: "nothing", count: 5, in: database, at: now).isEmpty)
    }
}

extension Store {
    /// Uses an index as a query does; false when there is none.
    fileprivate func useIndex(_ definition: IndexDefinition, in database: DatabaseHandle) -> Bool {
        guard let index = self.readyIndex(definition, in: database) else { return false }
        self.markUsed([index])
        return true
    }
}
