import BrasaDocuments

/// Walks over the fields of a message without a look into them: what it costs to say of a message is known before it is
/// unpacked. Never trusts a length.
struct TopLevelFields {
    private var reader: WireReader
    /// It ended before the message did.
    private(set) var isMalformed = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.reader = WireReader(bytes)
    }

    /// The next field's number, and its bytes if it has a length; nil at the end.
    mutating func next() -> (number: UInt32, bytes: UnsafeRawBufferPointer)? {
        guard !self.isMalformed, !self.reader.isAtEnd else { return nil }
        do throws(DocumentError) {
            let tag = try self.reader.tag()
            guard tag.type == WireReader.Tag.lengthDelimited else {
                try self.reader.skip(tag)
                return (tag.field, UnsafeRawBufferPointer(start: nil, count: 0))
            }
            return (tag.field, self.reader.slice(try self.reader.payload()))
        } catch {
            self.isMalformed = true
            return nil
        }
    }
}

extension WireError {
    /// Refuses a message with more writes than are allowed before they are unpacked, one by one, while a loop waits. What is
    /// no message is refused as well: the decoder takes some of it, fields without a number among others, and with it all
    /// that stands behind.
    static func checkWrites(_ field: UInt32, of message: UnsafeRawBufferPointer, max: Int) throws(WireError) {
        var fields = TopLevelFields(message)
        var count = 0
        while let next = fields.next() {
            if next.number == field { count += 1 }
            if count > max { throw .tooManyWrites(allowed: max) }
        }
        if fields.isMalformed { throw .malformed }
    }
}
