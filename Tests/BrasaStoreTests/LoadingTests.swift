import BrasaDocuments
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// A start makes the order of names of a checkpoint's documents and of what the log adds to them, each in its way: many or
/// few, deleted and made again, in nested collections, of two databases.
@Suite struct LoadingTests {
    private static let databases = ["(default)", "other"]

    /// Text by path, of each database.
    private typealias Model = [String: [String: String]]

    private static func name(_ random: inout SeededRandom, below count: Int) -> String {
        let number = Int.random(in: 0..<count, using: &random)
        return switch number % 3 {
        case 0: "a/\(number)"
        case 1: "a/\(number - 1)/b/\(number)"
        default: "b/\(number)"
        }
    }

    private static func change(
        _ fixture: StoreFixture,
        _ model: inout Model,
        times: Int,
        below count: Int,
        deletions: Int,
        _ random: inout SeededRandom
    ) throws {
        for step in 0..<times {
            let id = self.databases[Int.random(in: 0..<2, using: &random)]
            let database = fixture.store.database(try databaseName(id))
            let name = self.name(&random, below: count)
            let text = Int.random(in: 0..<10, using: &random) < deletions ? nil : "\(step)"
            try fixture.commit(database, [(name, text)])
            model[id, default: [:]][name] = text
        }
    }

    private static func expect(_ fixture: StoreFixture, _ model: Model, _ note: Comment) throws {
        for id in self.databases {
            let database = fixture.store.database(try databaseName(id))
            let documents = model[id] ?? [:]
            func sorted(_ names: some Sequence<String>) throws -> [String] {
                try names.map { try path($0) }.sorted().map(\.string)
            }
            let names = try fixture.store.names(range("", nil, all: true), in: database)
            #expect(try names == sorted(documents.keys), note)
            let group = try fixture.store.names(range("", "b", all: true), in: database)
            #expect(try group == sorted(documents.keys.filter { $0.contains("b/") }), note)
            for name in names { #expect(try fixture.store.text(name, in: database) == documents[name], note) }
            database.order.withLock { order in
                for tree in [order.names] + order.groups.values {
                    tree.current.checkInvariants()
                    // What is deleted stands apart, where pruning looks for it.
                    var cursor = tree.current.cursor { _ in false }
                    while let chain = cursor.next() { #expect(chain.fields != nil, note) }
                }
            }
        }
    }

    @Test(arguments: [(0, 300), (20, 0), (20, 10), (300, 0), (300, 5), (300, 40), (300, 300), (2_000, 30)])
    func aStartHasTheDocumentsOfTheCheckpointAndOfTheLog(before: Int, after: Int) throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            // One that forgets at once ends loading amid the log.
            let fixture = try StoreFixture(seed: seed) {
                $0.startThreads = [1, 4, 16][Int(seed % 3)]
                if seed % 2 == 0 { ($0.history, $0.historyMin, $0.historyBytesMax) = (.zero, .zero, 0) }
            }
            var model: Model = [:]
            let count = max(before, after)
            try Self.change(fixture, &model, times: before, below: count, deletions: 1, &random)
            if before > 0 { try fixture.store.checkpoint() }
            try Self.change(fixture, &model, times: after, below: count, deletions: 5, &random)
            try fixture.restart(kill: true)
            try Self.expect(fixture, model, "seed \(seed), started")
            try Self.change(fixture, &model, times: 50, below: count, deletions: 5, &random)
            while fixture.store.maintain() {}
            try Self.expect(fixture, model, "seed \(seed), changed")
        }
    }

    /// Of a program that wrote it in another order.
    @Test func documentsThatAreInNoOrderAreSorted() throws {
        func chain(_ number: Int) throws -> AddedVersion {
            let version = DocumentChain.Version(fields: .empty, createTime: 1, time: 1)
            let chain = DocumentChain(path: try path("c/\(1_000 + number)"), version: version)
            return AddedVersion(chain: chain, before: nil, history: HistoryChange())
        }
        var loading = LoadingOrder()
        let runs = try [[5, 6, 7], [1, 3, 2], [8, 9], [4]].map { RecordedDocuments.Placed(try $0.map(chain)) }
        #expect(runs.map(\.isAscending) == [true, false, true, true])
        for run in runs { loading.add(run) }
        var order = OrderState()
        order.endLoading(loading.finish())
        var cursor = order.names.current.cursor { _ in false }
        var names: [String] = []
        while let chain = cursor.next() { names.append(chain.path.string) }
        #expect(names == (1...9).map { "c/\(1_000 + $0)" })
    }

    @Test(arguments: [0, 1, 4, 16])
    func threadsGiveWhatEachNumberIsJobAfterJob(threads: Int) {
        let crew = Crew(name: "crew", threads: threads)
        for count in 0..<200 {
            #expect(crew.map(count) { $0 * count } == (0..<count).map { $0 * count })
        }
    }
}
