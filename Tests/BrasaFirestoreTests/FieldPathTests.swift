import BrasaDocuments
import Testing

@testable import BrasaFirestore

@Suite("Field paths")
struct FieldPathTests {
    @Test(
        "Text with dots is names of maps in maps",
        arguments: [
            ("a", ["a"]), ("a.b", ["a", "b"]), ("a b.c-d", ["a b", "c-d"]), ("0.é", ["0", "é"]),
            ("`a`.b", ["`a`", "b"]),
        ]
    )
    func dotted(text: String, names: [String]) throws {
        let path = try FieldPath(dotted: text)
        #expect(path.names == names)
        #expect(path == FieldPath(names))
        #expect(path.hashValue == FieldPath(names).hashValue)
    }

    @Test(
        "Text with an empty name or a reserved character is refused",
        arguments: ["", ".", "a.", ".a", "a..b", "a~b", "a*", "a/b", "[a", "a]", "__x__", "a.__b__"]
    )
    func refused(text: String) {
        #expect(throws: UsageError.self) { try FieldPath(dotted: text) }
    }

    @Test("Names of a path are literal")
    func literal() {
        let path = FieldPath(["a.b", "c/d"])
        #expect(path.names == ["a.b", "c/d"])
        #expect(path != FieldPath(["a", "b", "c/d"]))
        #expect(path.description == "`a.b`.`c/d`")
    }

    @Test("Paths without a name, or with an empty one, are told from others and are of no use")
    func faulty() {
        #expect(throws: UsageError.self) { try FieldPath([]).stored }
        #expect(throws: UsageError.self) { try FieldPath(["a", ""]).stored }
        #expect(FieldPath(["a", ""]) == FieldPath(["a", ""]))
        #expect(FieldPath(["a", ""]) != FieldPath(["a"]))
        #expect(FieldPath(["a", ""]).description == "a.")
    }

    @Test("A path is a key of a dictionary, and the document's ID has one")
    func keys() throws {
        let data: [AnyHashable: Any] = [FieldPath(["a.b"]): 1, "a.b": 2]
        #expect(data.count == 2)
        #expect(FieldPath.documentID() == FieldPath.documentID())
        #expect(try FieldPath.documentID().stored.isDocumentName)
    }

    @Test("Other types than String and FieldPath are refused")
    func anyField() throws {
        #expect(throws: UsageError.self) { try FieldPath(any: 1) }
        #expect(try FieldPath(any: FieldPath(["a.b"])) == FieldPath(["a.b"]))
    }
}
