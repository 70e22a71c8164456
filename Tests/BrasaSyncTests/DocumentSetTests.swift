import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Sets of documents against sorted arrays.
@Suite struct DocumentSetTests {
    /// What a set should be.
    private struct Model {
        var documents: [ResourcePath: SyncDocument] = [:]

        var sorted: [SyncDocument] { self.documents.values.sorted { Model.place($0) < Model.place($1) } }

        /// By number, then by name; names have the same length.
        private static func place(_ document: SyncDocument) -> (Int64, String) {
            guard case .integer(let number)? = document.fields.decoded.first?.value else { return (0, "") }
            return (number, document.path.string)
        }

        mutating func apply(_ changes: [ResourcePath: SyncDocument?]) {
            for (path, document) in changes { self.documents[path] = document }
        }
    }

    private let order: ResultOrder

    init() throws {
        let clause = StructuredQuery.Order(field: try field("n"), direction: .ascending)
        self.order = try collection("c", orderBy: [clause]).order
    }

    private func someDocument(_ random: inout SeededRandom, of count: Int) throws -> SyncDocument {
        let name = String(1_000_000 + random.below(count)).dropFirst()
        return try document("c/\(name)", Int64(random.below(1_000)), ["n": .integer(Int64(random.below(count)))])
    }

    private func check(_ set: DocumentSet, _ model: Model) {
        let sorted = model.sorted
        #expect(Array(set) == sorted)
        #expect(set.count == sorted.count)
        #expect(set.indices.map { set[$0] } == sorted)
        for (index, document) in sorted.enumerated() {
            #expect(set.index(of: document.path) == index)
            #expect(set[document.path] == document)
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `A set is what its changes make of it, and its copies stay as they are`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let names = [4, 60, 700, 3_000][Int(seed % 4)]
        var set = DocumentSet(order: self.order)
        var model = Model()
        var copies: [(DocumentSet, Model)] = []
        for _ in 0..<60 {
            var changes: [ResourcePath: SyncDocument?] = [:]
            for _ in 0..<random.pick([1, 1, 2, 9, names / 2 + 1]) {
                let changed = try self.someDocument(&random, of: names)
                changes.updateValue(random.chance(3) ? nil : changed, forKey: changed.path)
            }
            set.apply(changes)
            model.apply(changes)
            if random.chance(10) {
                let keepsFirst = random.chance(2)
                let count = random.below(set.count + 2)
                let sorted = model.sorted
                let dropped = keepsFirst ? sorted.dropFirst(count) : sorted.dropLast(count)
                #expect(set.trim(to: count, keepingFirst: keepsFirst) == Array(dropped))
                for document in dropped { model.documents[document.path] = nil }
            }
            if random.chance(12) { copies.append((set, model)) }
        }
        self.check(set, model)
        for (set, model) in copies { self.check(set, model) }
    }

    @Test(arguments: [0, 1, 64, 65, 128, 129, 1_000])
    func `A set that is made at once is the one that grew`(_ count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        var model = Model()
        while model.documents.count < count {
            let next = try self.someDocument(&random, of: 100_000)
            model.documents[next.path] = next
        }
        let made = DocumentSet(order: self.order, model.documents.values)
        var grown = DocumentSet(order: self.order)
        for document in model.documents.values { grown.insert(document) }
        self.check(made, model)
        self.check(grown, model)
        for document in model.documents.values { grown.remove(document.path) }
        #expect(grown.isEmpty)
        #expect(Array(grown) == [])
    }
}
