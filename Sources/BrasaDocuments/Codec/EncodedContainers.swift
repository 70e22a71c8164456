/// The elements of an array in place, from where one has come to the end. To take the next costs the same wherever it
/// stands and however long it is.
package struct EncodedElements: Sendable {
    private var rest: BytePart

    init(payload bytes: BytePart) {
        self.rest = bytes
    }

    /// The bytes of a Value message.
    package mutating func next() -> BytePart? {
        let (found, position) = self.rest.withUnsafeBytes { memory -> (Range<Int>?, Int) in
            var ignored = true
            var reader = WireReader(memory)
            return (try? reader.nextElement(of: ValueField.element, isCanonical: &ignored), reader.position)
        }
        let element = found.map { self.rest.part($0) }
        self.rest = self.rest.part(position..<self.rest.count)
        return element
    }

    /// Steps over elements, at most so many. Returns how many there were.
    package mutating func advance(_ count: Int) -> Int {
        self.rest.advance(count, field: ValueField.element)
    }
}

/// The entries of a document or of a map in place, from where one has come to the end, sorted by key.
package struct EncodedEntries: Sendable {
    private var rest: BytePart
    private let isDocument: Bool

    init(payload bytes: BytePart) {
        self.rest = bytes
        self.isDocument = false
    }

    package init(_ fields: EncodedFields) {
        self.rest = BytePart(fields.bytes)
        self.isDocument = true
    }

    private var field: UInt32 { self.isDocument ? ValueField.documentFields : ValueField.element }

    /// A key, and the bytes of a Value message.
    package mutating func next() -> (key: BytePart, value: BytePart)? {
        let (found, position) = self.rest.withUnsafeBytes { memory -> (EntryParts?, Int) in
            var reader = WireReader(memory)
            return (Self.entry(&reader, self.field), reader.position)
        }
        let entry = found.map { (self.rest.part($0.key), self.rest.part($0.value)) }
        self.rest = self.rest.part(position..<self.rest.count)
        return entry
    }

    /// Steps over entries, at most so many. Returns how many there were.
    package mutating func advance(_ count: Int) -> Int { self.rest.advance(count, field: self.field) }

    package enum Search: Sendable {
        /// The bytes of a Value message.
        case found(BytePart)
        case absent
        /// More entries would have to be looked at than may be.
        case unfinished
    }

    /// Looks for a key from here on, at no more than `count` entries, which is left with how many may still be looked at.
    package func search(_ key: UnsafeRawBufferPointer, within count: inout Int) -> Search {
        self.rest.withUnsafeBytes { memory in
            var reader = WireReader(memory)
            while count > 0 {
                count -= 1
                guard let parts = Self.entry(&reader, self.field) else { return .absent }
                switch ByteOrder.compare(reader.slice(parts.key), key) {
                case .ascending: continue
                case .descending: return .absent
                case .same: return .found(self.rest.part(parts.value))
                }
            }
            return .unfinished
        }
    }

    private static func entry(_ reader: inout WireReader, _ field: UInt32) -> EntryParts? {
        var ignored = true
        guard let range = try? reader.nextElement(of: field, isCanonical: &ignored) else { return nil }
        var entry = reader.sub(range)
        return try? entry.entryParts(isCanonical: &ignored)
    }
}

extension BytePart {
    fileprivate mutating func advance(_ count: Int, field: UInt32) -> Int {
        let (passed, position) = self.withUnsafeBytes { memory -> (Int, Int) in
            var ignored = true
            var reader = WireReader(memory)
            var passed = 0
            while passed < count, (try? reader.nextElement(of: field, isCanonical: &ignored)) != nil { passed += 1 }
            return (passed, reader.position)
        }
        self = self.part(position..<self.count)
        return passed
    }
}
