import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct SyncTargetTests {
    struct Case: CustomTestStringConvertible {
        let parent: String
        let id: String
        var allDescendants = false
        let concerned: Set<String>

        var testDescription: String { "\(self.parent)/\(self.id)\(self.allDescendants ? " below" : "")" }
    }

    static let paths = ["c/a", "d/a", "c/a/c/b", "c/a/d/b", "c/z/c/b", "c/a/d/b/c/e"]

    @Test(arguments: [
        Case(parent: "", id: "c", concerned: ["c/a"]),
        Case(parent: "", id: "c", allDescendants: true, concerned: ["c/a", "c/a/c/b", "c/z/c/b", "c/a/d/b/c/e"]),
        Case(parent: "c/a", id: "c", concerned: ["c/a/c/b"]),
        Case(parent: "c/a", id: "c", allDescendants: true, concerned: ["c/a/c/b", "c/a/d/b/c/e"]),
        Case(parent: "c/a", id: "", concerned: ["c/a/c/b", "c/a/d/b"]),
        Case(parent: "c/a", id: "", allDescendants: true, concerned: ["c/a/c/b", "c/a/d/b", "c/a/d/b/c/e"]),
        // The server refuses it; until then nothing is certain.
        Case(parent: "", id: "c/d", concerned: Set(Self.paths)),
    ])
    func `A query may concern the documents that it looks at`(_ example: Case) throws {
        let parent = example.parent.isEmpty ? ResourcePath.root : try path(example.parent)
        let selector = StructuredQuery.CollectionSelector(
            collectionID: UTF8Text(example.id),
            allDescendants: example.allDescendants
        )
        let target = SyncTarget.query(StructuredQuery(from: [selector]), parent: parent)
        let concerned = try Self.paths.filter { target.mayConcern(anyOf: [try path($0)]) }
        #expect(Set(concerned) == example.concerned)
        #expect(target.mayConcern(anyOf: try Self.paths.map(path)))
        #expect(!target.mayConcern(anyOf: []))
    }

    @Test func `A document's target may concern that document alone, a bundle's none`() throws {
        let (document, bundle) = (SyncTarget.document(try path("c/a")), SyncTarget.bundle("b"))
        #expect(try Self.paths.filter { document.mayConcern(anyOf: [try path($0)]) } == ["c/a"])
        #expect(try !bundle.mayConcern(anyOf: Self.paths.map(path)))
    }
}
