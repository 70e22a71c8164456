import Testing

@testable import BrasaStore

/// Handles stand for the names of databases and trees, whatever objects they are.
@Suite struct HandleTests {
    /// Two stores, since one never has two handles of a name at once.
    let stores: [Store]

    init() throws {
        self.stores = [try StoreFixture(seed: 1).store, try StoreFixture(seed: 2).store]
    }

    @Test func databasesOfOneNameAreEqualAndOthersAreNot() throws {
        let name = try databaseName("d")
        let handles = self.stores.map { $0.database(name) }
        #expect(handles[0] !== handles[1])
        #expect(handles[0] == handles[1])
        #expect(Set(handles).count == 1)
        let other = self.stores[0].database(try databaseName("e"))
        #expect(other != handles[0])
        #expect(!Set(handles).contains(other))
    }

    @Test func treesOfOneNameAreEqualAndOthersAreNot() throws {
        let name = try #require(TreeNamespace("t"))
        let handles = self.stores.map { $0.tree(name) }
        #expect(handles[0] !== handles[1])
        #expect(handles[0] == handles[1])
        #expect(Set(handles).count == 1)
        let other = self.stores[0].tree(try #require(TreeNamespace("u")))
        #expect(other != handles[0])
        #expect(!Set(handles).contains(other))
    }
}
