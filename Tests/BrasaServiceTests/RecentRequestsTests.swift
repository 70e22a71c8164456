import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaSimulation
import BrasaStatus
import BrasaWire
import NIOCore
import Synchronization
import Testing

@testable import BrasaService
@testable import BrasaStore

/// What is kept of queries that come again.
@Suite struct RecentRequestsTests {
    private typealias Queries = RecentRequests<Query>

    private let queries = Queries()

    private func request(
        _ collection: String,
        _ filter: StructuredQuery.Filter? = nil,
        limit: Int32? = nil
    ) throws -> RunQueryRequest {
        let selector = StructuredQuery.CollectionSelector(collectionID: UTF8Text(collection))
        let query = StructuredQuery(from: [selector], filter: filter, limit: limit)
        return RunQueryRequest(parent: try parent(), query: query)
    }

    /// Asks, and tells whether the message was read anew.
    private func ask(_ request: RunQueryRequest) throws -> (asked: Queries.Asked, isRead: Bool) {
        let message = message(of: request)
        switch self.queries.find(message, outline: { _ in nil }) {
        case .known(let asked): return (asked, false)
        case .new(let new):
            let asked = AskedQuery(try RunQueryRequest(decoding: message))
            self.queries.note(asked, of: new)
            return (asked, true)
        }
    }

    @Test func `What comes for the third time is not read again`() throws {
        let request = try self.request("c")
        #expect(try [self.ask(request), self.ask(request)].allSatisfy(\.isRead))
        let (first, second) = (try self.ask(request), try self.ask(request))
        #expect(!first.isRead && !second.isRead && first.asked === second.asked)
        #expect(try first.asked.checked.get()?.names.collectionID == "c")
    }

    @Test func `A wrong query is wrong each time`() throws {
        for _ in 0..<4 {
            let asked = try self.ask(self.request("c", limit: -1)).asked
            #expect(asked.checked == .failure(QueryError(.negativeLimit)))
        }
    }

    @Test func `Each request is answered as itself, whatever came before`() throws {
        for round in 0..<6 {
            for number in 0..<Queries.placeCount {
                // Some come often, most once.
                let collection = number % 8 == 0 ? "often\(number)" : "once\(number)in\(round)"
                let asked = try self.ask(self.request(collection)).asked
                #expect(try asked.checked.get()?.names.collectionID == UTF8Text(collection))
            }
        }
    }

    @Test func `What comes once pushes out nothing that comes often`() throws {
        let often = try self.request("often")
        for _ in 0..<2 { _ = try self.ask(often) }
        let kept = try self.ask(often).asked
        var rereads = 0
        for number in 0..<Queries.placeCount {
            _ = try self.ask(self.request("once\(number)"))
            let (asked, isRead) = try self.ask(often)
            rereads += isRead ? 1 : 0
            if !isRead { #expect(asked === kept) }
        }
        #expect(rereads == 0)
    }

    @Test func `What is kept is bounded, and what comes often is kept again`() throws {
        let filler = String(repeating: "c", count: 600)
        for number in 0..<(2 * Queries.keptBytesMax / filler.utf8.count) {
            let request = try self.request("\(number)\(filler)")
            for _ in 0..<4 { _ = try self.ask(request) }
            #expect(self.queries.asked.keptBytes <= Queries.keptBytesMax)
        }
        let last = try self.request("last")
        for _ in 0..<2 { _ = try self.ask(last) }
        #expect(try !self.ask(last).isRead)
    }

    @Test func `Long requests and those that say much are not kept`() throws {
        let long = try self.request(String(repeating: "c", count: Queries.bytesMax))
        let path = try FieldPath(names: ["a"])
        let wide = try self.request("c", .field(path, .in, .array([.integer(1), .integer(2)])))
        let narrow = try self.request("c", .field(path, .in, .array([.integer(1)])))
        for _ in 0..<4 {
            #expect(try self.ask(long).isRead && self.ask(wide).isRead)
            _ = try self.ask(narrow)
        }
        #expect(try !self.ask(narrow).isRead)
    }

    // MARK: On a server

    private static func ofKind(_ kind: Int64) throws -> StructuredQuery {
        let filter = StructuredQuery.Filter.field(try FieldPath(names: ["kind"]), .equal, .integer(kind))
        return StructuredQuery(from: [.init(collectionID: "c")], filter: filter)
    }

    private static func counting(
        _ query: StructuredQuery,
        _ consistency: ReadConsistency = .strong,
        explain: ExplainOptions? = nil
    ) throws -> RunAggregationQueryRequest {
        let query = StructuredAggregationQuery(query: query, aggregations: [.init(.count(upTo: nil), alias: "n")])
        return RunAggregationQueryRequest(
            parent: try parent(),
            query: query,
            consistency: consistency,
            explain: explain
        )
    }

    private static func documents(_ numbers: Range<Int>, kind: Int64) throws -> [Write] {
        try numbers.map { try set("c/d\($0)", [("kind", .integer(kind))]) }
    }

    /// A service on which a query of 30 documents among 400 has its index.
    private static func indexed() throws -> ServiceUnderTest {
        let service = try ServiceUnderTest()
        try service.commit(self.documents(0..<400, kind: 2))
        try service.commit(self.documents(0..<30, kind: 1))
        _ = try service.query(RunQueryRequest(parent: parent(), query: self.ofKind(1)))
        try service.buildIndexes()
        #expect(!service.engine.store.indexes().isEmpty)
        return service
    }

    private static func known<Checked>(_ found: FoundRequest<Checked>) -> AskedRequest<Checked>? {
        if case .known(let asked) = found { asked } else { nil }
    }

    /// Asks for the same again and again, by the same bytes, while everything changes.
    @Test func `A query that comes again sees what has changed since`() throws {
        let service = try Self.indexed()
        defer { service.close() }
        let query = RunQueryRequest(parent: try parent(), query: try Self.ofKind(1))
        let counting = try Self.counting(Self.ofKind(1))
        func check(_ expected: Int) throws {
            for _ in 0..<4 {
                let found = try service.query(query)
                #expect(found.messages.compactMap(\.document).count == expected && found.status == .ok)
                let counted = try service.aggregate(counting)
                #expect(counted.messages.map { $0.result?.first?.value } == [.integer(Int64(expected))])
                #expect(counted.status == .ok)
            }
        }
        try check(30)
        let asked = try #require(Self.known(service.service.query(in: message(of: query)) { _ in nil }))
        let count = try #require(Self.known(service.service.aggregation(in: message(of: counting)) { _ in nil }))
        let planned = try #require(count.planned)
        #expect(asked.planned != nil && planned.row != nil)
        try service.commit(Self.documents(10..<60, kind: 1))
        try check(60)
        try service.commit((0..<20).map { Write(name: try name("c/d\($0)"), operation: .delete) })
        try check(40)
        #expect(count.planned === planned)
        let registry = service.engine.store.indexRegistry
        registry.state.withLock { state in for key in Array(state.records.keys) { state.remove(key) } }
        while service.engine.store.indexStep() {}
        try check(40)
        #expect(count.planned !== planned && count.planned?.row == nil)
    }

    /// Asks for one kind after the other, each by what is known of those before, while everything changes.
    @Test func `A query that comes again with another value sees what has changed since`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        var kinds = (0..<400).map { Int64($0 % 20) }
        try service.commit(
            kinds.enumerated().flatMap { try Self.documents($0.offset..<$0.offset + 1, kind: $0.element) }
        )
        var prepared = 0
        func check() throws {
            for kind in Int64(0)..<20 {
                let expected = kinds.filter { $0 == kind }.count
                let found = try service.query(RunQueryRequest(parent: parent(), query: Self.ofKind(kind)))
                #expect(found.messages.compactMap(\.document).count == expected && found.status == .ok)
                let counting = try Self.counting(Self.ofKind(kind))
                let counted = try service.aggregate(counting)
                #expect(counted.messages.map { $0.result?.first?.value } == [.integer(Int64(expected))])
                let known = Self.known(
                    service.service.aggregation(in: message(of: counting)) { QueryOutline(ofAggregation: $0) }
                )
                prepared += known?.prepared?.planned?.row == nil ? 0 : 1
            }
        }
        try check()
        try service.buildIndexes()
        try check()
        try check()
        #expect(prepared > 20)
        for number in 0..<100 { kinds[number] = (kinds[number] + 7) % 20 }
        try service.commit(
            kinds.prefix(100).enumerated().flatMap { try Self.documents($0.offset..<$0.offset + 1, kind: $0.element) }
        )
        try check()
        let registry = service.engine.store.indexRegistry
        registry.state.withLock { state in for key in Array(state.records.keys) { state.remove(key) } }
        while service.engine.store.indexStep() {}
        try check()
        try service.buildIndexes()
        try check()
    }

    /// So that counts that are too long for a visit do not begin twice, one of them speaks for those like it.
    @Test func `A long count is tried once, and a short one that comes again for itself`() throws {
        var store = SimulatedServer.smallStore
        store.queryStepMax = 64
        let service = try ServiceUnderTest(store: store)
        defer { service.close() }
        let sizes = [Int64(1): 150, 2: 150, 3: 10, 4: 150]
        var next = 0
        for (kind, size) in sizes.sorted(by: { $0.key < $1.key }) {
            try service.commit(Self.documents(next..<next + size, kind: kind))
            next += size
        }
        func count(_ kind: Int64) throws -> AskedAggregation? {
            let counting = try Self.counting(Self.ofKind(kind))
            let counted = try service.aggregate(counting)
            #expect(counted.messages.map { $0.result?.first?.value } == [.integer(Int64(sizes[kind] ?? 0))])
            return Self.known(
                service.service.aggregation(in: message(of: counting)) { QueryOutline(ofAggregation: $0) }
            )
        }
        for _ in 0..<2 { _ = try count(3) }
        try service.buildIndexes()
        #expect(!service.engine.store.indexes().isEmpty)
        for _ in 0..<4 { for kind in Int64(1)...4 { _ = try count(kind) } }
        let prepared = try #require(try count(4)?.prepared)
        #expect(prepared.isRowLong)
        #expect(try count(3)?.planned?.isRow == true)
    }

    @Test func `Each transaction that begins with the same query is another`() throws {
        let service = try Self.indexed()
        defer { service.close() }
        let counting = try Self.counting(Self.ofKind(1), .newTransaction(.readWrite(retry: [])))
        var transactions: Set<[UInt8]> = []
        for _ in 0..<5 {
            let counted = try #require(service.aggregate(counting).messages.first)
            #expect(counted.result?.first?.value == .integer(30))
            transactions.insert(counted.transaction)
            try service.commit([], transaction: counted.transaction)
        }
        #expect(transactions.count == 5 && !transactions.contains([]))
    }

    @Test(arguments: [false, true])
    func `An explanation that comes again is the same`(analyze: Bool) throws {
        let service = try Self.indexed()
        defer { service.close() }
        let counting = try Self.counting(Self.ofKind(1), explain: ExplainOptions(analyze: analyze))
        let plans = try (0..<5).map { _ in try #require(service.aggregate(counting).messages.last).metrics?.indexesUsed
        }
        #expect(plans.allSatisfy { $0 != nil && $0 == plans[0] })
    }

    /// The bytes are the same, whoever asks.
    @Test func `Who may see the results is asked each time`() throws {
        let ruled = try RuledService("match /c/{id} { allow list: if request.auth.uid == 'ann'; }")
        defer { ruled.close() }
        try ruled.store((0..<30).map { ("c/d\($0)", [("kind", .integer(1))]) })
        try ruled.store((30..<400).map { ("c/d\($0)", [("kind", .integer(2))]) })
        let query = RunQueryRequest(parent: try parent(), query: try Self.ofKind(1))
        let counting = try Self.counting(Self.ofKind(1))
        func check(_ caller: Caller, sees: Bool) throws {
            ruled.caller = caller
            let found = try ruled.service.query(query)
            #expect(found.status == (sees ? .ok : .denied))
            #expect(found.messages.compactMap(\.document).count == (sees ? 30 : 0))
            let counted = try ruled.service.aggregate(counting)
            #expect(counted.status == (sees ? .ok : .denied))
            #expect(counted.messages.map { $0.result?.first?.value } == (sees ? [.integer(30)] : []))
        }
        for round in 0..<6 {
            try check(user("ann"), sees: true)
            try check(user("bob"), sees: false)
            try check(.nobody, sees: false)
            try check(.administrator, sees: true)
            if round == 2 { try ruled.service.buildIndexes() }
        }
        let known = Self.known(ruled.service.service.aggregation(in: message(of: counting)) { _ in nil })
        #expect(known?.planned?.row != nil)
        try ruled.install("match /c/{id} { allow list: if request.auth.uid == 'bob'; }")
        for _ in 0..<3 {
            try check(user("ann"), sees: false)
            try check(user("bob"), sees: true)
        }
    }
}
