/// Walks over the fields of a message without a look into them: what it costs to say of a message is known before it is
/// unpacked. Never trusts a length.
struct TopLevelFields {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// It ended before the message did.
    private(set) var isMalformed = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next field's number, and its bytes if it has a length; nil at the end.
    mutating func next() -> (number: UInt64, bytes: UnsafeRawBufferPointer)? {
        guard self.position < self.bytes.count else { return nil }
        guard let tag = self.varint(), let bytes = self.payload(tag & 7) else {
            self.isMalformed = true
            return nil
        }
        return (tag >> 3, bytes)
    }

    private mutating func payload(_ type: UInt64) -> UnsafeRawBufferPointer? {
        switch type {
        case 0: return self.varint() == nil ? nil : self.take(0)
        case 1: return self.take(8)
        case 2: return self.varint().flatMap { self.take($0) }
        case 5: return self.take(4)
        default: return nil
        }
    }

    private mutating func take(_ count: UInt64) -> UnsafeRawBufferPointer? {
        guard count <= UInt64(self.bytes.count - self.position) else { return nil }
        defer { self.position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: self.bytes[self.position..<self.position + Int(count)])
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
            guard self.position < self.bytes.count else { return nil }
            let byte = self.bytes[self.position]
            self.position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension WireError {
    /// Refuses a message with more writes than are allowed before they are unpacked, one by one, while a loop waits. What is
    /// no message is left for the decoder to refuse.
    static func checkWrites(_ field: UInt64, of message: UnsafeRawBufferPointer, max: Int) throws(WireError) {
        var fields = TopLevelFields(message)
        var count = 0
        while let next = fields.next() {
            if next.number == field { count += 1 }
            if count > max { throw .tooManyWrites(allowed: max) }
        }
    }
}
