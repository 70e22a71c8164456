import BrasaDocuments
import BrasaQueries
import Synchronization
import Testing

@testable import BrasaStore

/// The one order of a database: what a visit may do while the writer waits for it, and how recovery fills it.
@Suite struct OrderTests {
    private static let documents = 3_000

    @Test func noVisitHoldsTheOrderForMoreThanAChunk() throws {
        let bench = try QueryBench(count: Self.documents)
        let definition = IndexDefinition(
            collectionID: "users",
            scope: .collection,
            parts: [.init(try field("score"), .ascending)]
        )
        bench.store.requestIndex(definition, in: bench.database)
        bench.buildIndexes()
        let index = try bench.store.readyIndex(definition, in: bench.database).unwrapped()
        let time = bench.store.strongReadTime().microseconds
        let scope = try ScanScope.scopes(
            of: NameRange(parent: .root, collectionID: "users", allDescendants: false)
        ).first.unwrapped()
        // However much is asked for, and counted by what was found: in each step a document.
        let all = ScanBudget(entries: .max, steps: .max)
        let visits: [(String, (borrowing OrderState) -> Int)] = [
            (
                "up",
                { $0.ascending(scope, from: scope.start, at: time, showMissing: false, budget: all).found.count }
            ),
            ("down", { $0.descending(scope, from: scope.end, at: time, budget: all).found.count }),
            ("parts", { $0.runs(scope, from: scope.start, at: time).found.reduce(0) { $0 + $1.count } }),
            ("index", { Self.visit(index, at: time, isCounting: false, all, in: $0)?.found.count ?? 0 }),
            ("count", { Self.visit(index, at: time, isCounting: true, all, in: $0)?.count ?? 0 }),
        ]
        for (name, visit) in visits {
            #expect(bench.database.order.withLock { visit($0) } == ScanBudget.stepsMax, "\(name)")
        }
    }

    private static func visit(
        _ index: Index,
        at time: Int64,
        isCounting: Bool,
        _ budget: ScanBudget,
        in order: borrowing OrderState
    ) -> IndexVisit? {
        let reading = IndexReading(
            position: .start,
            end: .end,
            time: time,
            isDescending: false,
            isCounting: isCounting,
            needsPlaces: false,
            budget: budget
        )
        var visit = IndexVisit()
        return order.visit(index.counts, reading, &visit) ? visit : nil
    }

    /// Documents that came later are looked at as well, and show nothing.
    @Test func aVisitThatFindsNothingEndsAfterAChunk() throws {
        let bench = try QueryBench(count: Self.documents)
        let creation = bench.store.creationTime.microseconds
        let all = ScanBudget(entries: .max, steps: .max)
        var position: PathPosition? = .after(.root)
        var visits = 0
        while let from = position {
            let part = bench.database.order.withLock {
                $0.collectionIDs(under: .root, from: from, at: creation, budget: all)
            }
            #expect(part.found.isEmpty)
            position = part.resume
            visits += 1
        }
        #expect(visits == Self.documents / ScanBudget.stepsMax + 1)
    }

    /// The first ones are in order, as those of a checkpoint are; the others come from a log.
    @Test(arguments: [0, 1, 40, 100], [1, 1_000])
    func loadedDocumentsAreSortedOnOneThreadOrSeveral(ordered: Int, parallelMin: Int) throws {
        func chain(_ number: Int) throws -> DocumentChain {
            let version = DocumentChain.Version(fields: EncodedFields(encoding: []), createTime: 1, time: 1)
            return DocumentChain(path: try path("c/\(1_000 + number)"), version: version)
        }
        let first = try (0..<ordered).map { try chain(3 * $0) }
        let others = try (0..<(100 - ordered)).map { try chain($0 * 37 % 100 * 3 + 1) }
        let sorted = LoadedDocuments.sorted(first + others, parallelMin: parallelMin)
        #expect(sorted.map(\.path) == (first + others).map(\.path).sorted())
    }
}
