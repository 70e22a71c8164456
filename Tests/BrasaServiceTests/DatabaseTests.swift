import BrasaDocuments
import BrasaMessages
import BrasaWire
import Testing

@Suite struct DatabaseTests {
    private static func name(in database: String) throws -> DocumentName {
        try DocumentName(parsing: "projects/p/databases/\(database)/documents/c/x".utf8)
    }

    @Test func `Calls that name databases in turn see each its own documents`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let databases = ["(default)", "other", "third"]
        for (number, database) in databases.enumerated() {
            let name = try Self.name(in: database)
            let write = Write(name: name, operation: .set(fields([("n", .integer(Int64(number)))])))
            _ = try service.answer { stub, done in
                stub.commit(CommitRequest(database: name.database, writes: [write]), completion: done)
            }.get()
        }
        for number in [0, 1, 2, 2, 1, 0, 2] {
            let name = try Self.name(in: databases[number])
            let found: NamedDocument = try service.answer { stub, done in
                stub.getDocument(GetDocumentRequest(name: name), completion: done)
            }.get()
            #expect(found.name == name)
            #expect(found.document?.fields.value(at: try FieldPath(parsing: "n".utf8)) == .integer(Int64(number)))
        }
    }
}
