/// A Document message as it stood in a request or response, its fields checked and in canonical form.
package struct DocumentMessage: Sendable {
    /// Where the name stands in the message's bytes; empty when it has none.
    package let name: Range<Int>
    package let fields: EncodedFields
    package let createTime: Timestamp?
    package let updateTime: Timestamp?

    /// Checks the whole message. Fields that are canonical already are copied once and not otherwise touched.
    package init(decoding message: UnsafeRawBufferPointer) throws(DocumentError) {
        var scan = Scan(message)
        try scan.run()
        self.name = scan.name
        self.createTime = scan.createTime
        self.updateTime = scan.updateTime
        self.fields = try scan.fields()
    }

    private struct Scan {
        let message: UnsafeRawBufferPointer
        var scanner: ValueScanner
        /// From the first entry's tag to the last entry's end; nil before the first.
        var extent: Range<Int>?
        var name = 0..<0
        var createTime: Timestamp?
        var updateTime: Timestamp?

        init(_ message: UnsafeRawBufferPointer) {
            self.message = message
            self.scanner = ValueScanner(message)
        }

        mutating func run() throws(DocumentError) {
            var reader = WireReader(self.message)
            var previousKey: Range<Int>?
            while !reader.isAtEnd {
                let start = reader.position
                let tag = try reader.tag()
                guard tag.type == WireReader.Tag.lengthDelimited, tag.field <= ValueField.updateTime else {
                    try reader.skip(tag)
                    continue
                }
                let payload = try reader.payload()
                switch tag.field {
                case ValueField.documentName: self.name = payload
                case ValueField.createTime: self.createTime = try self.timestamp(payload)
                case ValueField.updateTime: self.updateTime = try self.timestamp(payload)
                default:
                    if let extent, extent.upperBound != start { self.scanner.noteNotCanonical() }
                    if !reader.isMinimal { self.scanner.noteNotCanonical() }
                    self.extent = (self.extent?.lowerBound ?? start)..<payload.upperBound
                    _ = try self.scanner.entry(payload, in: .document, previousKey: &previousKey)
                }
            }
        }

        private func timestamp(_ payload: Range<Int>) throws(DocumentError) -> Timestamp? {
            var ignored = true
            var reader = WireReader(self.message).sub(payload)
            return try reader.timestamp(isCanonical: &ignored)
        }

        func fields() throws(DocumentError) -> EncodedFields {
            guard let extent else { return .empty }
            let input = UnsafeRawBufferPointer(rebasing: self.message[extent])
            if self.scanner.isCanonical { return EncodedFields(canonical: ByteString(input)) }
            var ignored = true
            var entries: [Range<Int>] = []
            var reader = WireReader(input)
            while let entry = try reader.nextElement(of: ValueField.documentFields, isCanonical: &ignored) {
                entries.append(entry)
            }
            var canonicalizer = Canonicalizer(input)
            try canonicalizer.entries(entries, field: ValueField.documentFields)
            return EncodedFields(canonical: canonicalizer.finishedString())
        }
    }
}

extension EncodedFields {
    /// From a Document message's bytes, or only its field-2 entries.
    package init(validating entries: UnsafeRawBufferPointer) throws(DocumentError) {
        self = try DocumentMessage(decoding: entries).fields
    }

    /// The same fields, checked.
    package func validated() throws(DocumentError) -> EncodedFields {
        try borrowing(self.bytes) { (bytes) throws(DocumentError) in try EncodedFields(validating: bytes) }
    }

    package init(validating entries: some Collection<UInt8>) throws(DocumentError) {
        self = try borrowing(Array(entries)) { (bytes) throws(DocumentError) in try EncodedFields(validating: bytes) }
    }
}
