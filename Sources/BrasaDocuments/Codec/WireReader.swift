import BrasaBytes

/// Reads protobuf's wire format from a run of memory. Every read is checked against the end, so any bytes are safe; the
/// memory must outlive the reader, which therefore stays inside one `withUnsafeBytes`.
///
/// Usable from inline, so that the numbers of tags are no calls for the rooms that write them.
@usableFromInline
package struct WireReader {
    private let bytes: UnsafeRawBufferPointer
    package private(set) var position: Int
    let end: Int
    /// Stays true while every varint was the shortest for its number.
    private(set) var isMinimal = true

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        self.position = 0
        self.end = bytes.count
    }

    /// A reader of a part of the same memory. `range` came from this reader, or one of the same memory.
    func sub(_ range: Range<Int>) -> WireReader {
        WireReader(bytes: self.bytes, range: range)
    }

    private init(bytes: UnsafeRawBufferPointer, range: Range<Int>) {
        self.bytes = bytes
        self.position = min(range.lowerBound, bytes.count)
        self.end = min(range.upperBound, bytes.count)
    }

    package var isAtEnd: Bool { self.position >= self.end }

    package func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self.bytes[range.clamped(to: 0..<self.bytes.count)])
    }

    /// A field's number and how its payload is written; `.end` marks an end of group and other types with no payload.
    @usableFromInline
    package struct Tag: Equatable {
        package var field: UInt32
        package var type: UInt8

        @inlinable package static var varint: UInt8 { 0 }
        @inlinable package static var fixed64: UInt8 { 1 }
        @inlinable package static var lengthDelimited: UInt8 { 2 }
        @inlinable package static var fixed32: UInt8 { 5 }
    }

    package mutating func tag() throws(DocumentError) -> Tag {
        let number = try self.varint()
        guard number >> 3 != 0, number >> 3 < 1 << 29 else { throw DocumentError(.malformedMessage) }
        return Tag(field: UInt32(truncatingIfNeeded: number >> 3), type: UInt8(truncatingIfNeeded: number & 7))
    }

    package mutating func varint() throws(DocumentError) -> UInt64 {
        if self.position < self.end {
            let byte = self.bytes[self.position]
            if byte < 0x80 {
                self.position &+= 1
                return UInt64(byte)
            }
        }
        return try self.longVarint()
    }

    private mutating func longVarint() throws(DocumentError) -> UInt64 {
        guard let reading = Varint.read(self.bytes, at: &self.position, end: self.end) else {
            throw DocumentError(.malformedMessage)
        }
        if !reading.isMinimal { self.isMinimal = false }
        return reading.number
    }

    mutating func fixed64() throws(DocumentError) -> UInt64 {
        guard self.end - self.position >= 8 else { throw DocumentError(.malformedMessage) }
        let number = self.bytes.loadUnaligned(fromByteOffset: self.position, as: UInt64.self)
        self.position &+= 8
        return UInt64(littleEndian: number)
    }

    /// The range of a length-delimited payload.
    package mutating func payload() throws(DocumentError) -> Range<Int> {
        let length = try self.varint()
        guard length <= UInt64(self.end - self.position) else { throw DocumentError(.malformedMessage) }
        let start = self.position
        self.position &+= Int(length)
        return start..<self.position
    }

    /// Steps over the payload of an unknown field. Groups are refused: no message of the protocol has ever had one.
    package mutating func skip(_ tag: Tag) throws(DocumentError) {
        switch tag.type {
        case Tag.varint: _ = try self.varint()
        case Tag.fixed64: try self.advance(8)
        case Tag.lengthDelimited: _ = try self.payload()
        case Tag.fixed32: try self.advance(4)
        default: throw DocumentError(.malformedMessage)
        }
    }

    private mutating func advance(_ count: Int) throws(DocumentError) {
        guard self.end - self.position >= count else { throw DocumentError(.malformedMessage) }
        self.position &+= count
    }
}
