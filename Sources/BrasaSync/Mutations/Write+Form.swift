internal import BrasaDocuments

extension Write {
    /// Throws what the server would answer, whatever the document is. Such a write is not worth queueing; and a cache on disk
    /// could not read it back, since what is no message is refused there.
    func checkForm() throws(DocumentError) {
        try self.validate()
        switch self.operation {
        case .set(let fields), .merge(let fields, mask: _): _ = try fields.validated()
        case .delete, .verify: break
        }
        for case .appendMissingElements(let values) in self.transforms.map(\.operation) {
            try Self.checkElements(values)
        }
        for case .removeAllFromArray(let values) in self.transforms.map(\.operation) { try Self.checkElements(values) }
    }

    private static func checkElements(_ values: [Value]) throws(DocumentError) {
        let entry = Value.MapEntry(key: "elements", value: .array(values))
        _ = try EncodedFields(encoding: [entry]).validated()
    }
}
