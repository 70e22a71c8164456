import BrasaDocuments

/// The fields of a document under load.
enum BenchFields {
    /// A text of about so many bytes, and `count` fields more, of the common types in turn.
    static func entries(text bytes: Int, count: Int) -> [Value.MapEntry] {
        // The text's own frame in the encoding takes 15 bytes or so.
        let text = String(repeating: "x", count: max(1, bytes - 15))
        let further = (0..<count).map { index in
            Value.MapEntry(key: UTF8Text("field\(index)"), value: Self.value(index))
        }
        let entries = further + [Value.MapEntry(key: "text", value: .string(UTF8Text(text)))]
        return entries.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    }

    private static func value(_ index: Int) -> Value {
        switch index % 6 {
        case 0: .string(UTF8Text("value \(index)"))
        case 1: .integer(Int64(index) * 1_000_003)
        case 2: .double(Double(index) + 0.5)
        case 3: .timestamp(Timestamp(microseconds: 1_700_000_000_000_000 + Int64(index)))
        case 4: .boolean(index % 4 == 0)
        default: .array([.string("one"), .string("two"), .integer(Int64(index))])
        }
    }
}
