extension ResourcePath {
    /// The path with one more segment: a collection id after the root or a document, a document id after a collection.
    package func appending(_ id: some Collection<UInt8>) throws(DocumentError) -> ResourcePath {
        let isDocumentID = self.isCollection
        let id = Array(id)
        try NameParser.checkUTF8(id)
        if id.contains(UInt8(ascii: "/")) {
            throw DocumentError(isDocumentID ? .documentIDInvalid(text(id)) : .collectionIDContainsSlash(text(id)))
        }
        if let flaw = id.withUnsafeBytes({ ResourceID.flaw(of: $0, isDocumentID: isDocumentID) }) {
            throw Self.error(for: flaw, id: text(id), isDocumentID: isDocumentID)
        }
        let start = self.isRoot ? 0 : self.bytes.count + 1
        guard start + id.count <= Limits.nameBytesMax else { throw DocumentError(.nameTooLong(.document)) }
        guard self.segmentCount < 2 * Limits.collectionDepthMax else { throw DocumentError(.nameTooDeep(.document)) }
        let bytes = ByteString(count: start + id.count) { memory in
            self.bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
            if start > 0 { memory[start - 1] = UInt8(ascii: "/") }
            UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyBytes(from: id)
        }
        return ResourcePath(checked: bytes)
    }

    /// Throws unless `id` may be a collection's id; for the collection id of a query.
    package static func checkCollectionID(_ id: UTF8Text) throws(DocumentError) {
        _ = try ResourcePath.root.appending(id.bytes)
    }

    private static func error(for flaw: ResourceID.Flaw, id: String, isDocumentID: Bool) -> DocumentError {
        switch flaw {
        case .empty: DocumentError(isDocumentID ? .documentIDInvalid(id) : .collectionIDEmpty)
        case .dots, .reserved: DocumentError(isDocumentID ? .resourceIDReserved(id) : .collectionIDReserved(id))
        case .tooLong: DocumentError(isDocumentID ? .resourceIDTooLong : .collectionIDTooLong)
        }
    }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
