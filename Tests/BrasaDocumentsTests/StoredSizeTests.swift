import BrasaDocuments
import Testing

struct StoredSizeTests {
    @Test func `The documented example has 147 bytes`() {
        let task = fields(["type": "Personal", "done": false, "priority": 1, "description": "Learn Cloud Firestore"])
        #expect(EncodedFields.empty.storedSize(path: path("users/jeff/tasks/my_task_id")) == 44 + 32)
        #expect(task.storedSize(path: path("users/jeff/tasks/my_task_id")) == 147)
    }

    @Test(
        arguments: [
            (.null, 1), (true, 1), (1, 8), (1.5, 8), (.timestamp(.latest), 8),
            (.geoPoint(latitude: 1, longitude: 2), 16),
            ("añ", 4), (.bytes([1, 2, 3]), 3), (.reference(document("c/d")), 20),
            (.reference(document("c/__id5__")), 26),
            (.array([]), 0), (.array([1, "a", .null]), 11), (map([:]), 32), (map(["k": 1]), 42),
            (.vector([1, 2, 3]), 24),
            (.array([map([:]), map([:])]), 64),
        ] as [(Value, Int)]
    )
    func `Each type has its size`(value: Value, size: Int) {
        let empty = EncodedFields.empty.storedSize(path: path("c/d"))
        #expect(fields(["f": value]).storedSize(path: path("c/d")) == empty + 2 + size)
    }

    @Test func `A document may be exactly as large as the limit`() throws {
        let name = document("c/d")
        // 20 for the name, 32 for the document, 2 + 2 for the keys, 1 for the end of each string
        let half = Limits.documentBytesMax / 2
        func sized(_ bytes: Int) -> EncodedFields {
            fields([
                "a": .string(UTF8Text(String(repeating: "x", count: half))),
                "b": .string(UTF8Text(String(repeating: "x", count: bytes - half - 58))),
            ])
        }
        #expect(sized(Limits.documentBytesMax).storedSize(name: name) == Limits.documentBytesMax)
        try sized(Limits.documentBytesMax).checkSize(name: name)
        let error = refusal { () throws(DocumentError) in try sized(Limits.documentBytesMax + 1).checkSize(name: name) }
        #expect(
            error?.message
                == "Document 'projects/p/databases/d/documents/c/d' cannot be written because its size (1,048,577 bytes) "
                + "exceeds the maximum allowed size of 1,048,576 bytes."
        )
    }
}
