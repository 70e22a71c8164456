import BrasaDocuments
import Synchronization
import Testing

@testable import BrasaStore

/// What was needed for many at once is given back when there are few.
@Suite struct RoomTests {
    @Test func `a dictionary that has lost most of what it had is small again, and has the rest`() {
        var numbers: [Int: Int] = [:]
        for number in 0..<100_000 { numbers[number] = -number }
        let room = numbers.capacity
        var copies = 0
        for number in 0..<99_900 {
            let before = numbers.capacity
            numbers[number] = nil
            numbers.letRoomGo()
            if numbers.capacity < before { copies += 1 }
        }
        #expect(room >= 100_000 && numbers.capacity <= 4 * 100 + 1024)
        #expect(copies > 0 && copies < 10)
        #expect(numbers == Dictionary(uniqueKeysWithValues: (99_900..<100_000).map { ($0, -$0) }))
    }

    @Test func `collections that were many once leave no room for them among a database's groups`() throws {
        let fixture = try StoreFixture { $0.history = .zero }
        let database = fixture.store.database(try databaseName())
        let names = (0..<5_000).map { "a/b/id\($0)/d" }
        try fixture.commit(database, names.map { ($0, "x") })
        let many = database.order.withLock { ($0.groups.count, $0.groups.capacity) }
        #expect(many.0 == 5_000)
        try fixture.commit(database, names.dropFirst(3).map { ($0, nil) })
        fixture.wait(.seconds(10))
        while fixture.store.maintain() {}
        let few = database.order.withLock { ($0.groups.count, $0.groups.capacity) }
        #expect(few.0 == 3 && few.1 < 1_100)
        #expect(try fixture.store.names(range("", "id1", all: true), in: database) == ["a/b/id1/d"])
    }

    @Test func `databases that were many once go when they have nothing and nobody holds them`() throws {
        let fixture = try StoreFixture { $0.history = .zero }
        let used = fixture.store.database(try databaseName("used"))
        try fixture.commit(used, [("a/1", "1")])
        for number in 0..<3_000 {
            let database = fixture.store.database(try databaseName("d\(number)"))
            try fixture.commit(database, [("a/1", "1")])
        }
        #expect(fixture.store.databases.count == 3_001)
        for number in 0..<3_000 {
            let database = fixture.store.database(try databaseName("d\(number)"))
            try fixture.commit(database, [("a/1", nil)])
        }
        fixture.wait(.seconds(10))
        // The newest commits know their databases.
        for number in 0..<4_100 { try fixture.commit(used, [("a/1", "\(number)")]) }
        fixture.wait(.seconds(10))
        // Some at a time.
        for _ in 0..<400 { _ = fixture.store.maintain() }
        #expect(fixture.store.databases.count <= 1_025)
        #expect(fixture.store.database(try databaseName("used")) == used)
        #expect(try fixture.store.text("a/1", in: used) == "4099")
    }
}
