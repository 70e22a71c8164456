internal import BrasaDocuments
package import BrasaMessages
package import NIOCore

/// Nil for requests that say more than where and what to look for, whose filter is more than conditions on fields side by
/// side, or that are none.
extension QueryOutline {
    package init?(ofQuery message: ByteBuffer) {
        self.init(message, .queryRequest)
    }

    package init?(ofAggregation message: ByteBuffer) {
        self.init(message, .aggregationRequest)
    }

    private init?(_ message: ByteBuffer, _ part: OutlineWriter.Part) {
        var operands: [Value] = []
        // Never longer than the message: an end takes no more than the length in whose place it is, a class no more than a value.
        let bytes = [UInt8](unsafeUninitializedCapacity: message.readableBytes) { memory, count in
            var writer = OutlineWriter(WireSink(UnsafeMutableRawBufferPointer(memory)))
            guard message.withUnsafeReadableBytes({ writer.isCopied(part, $0) }), writer.sink.isComplete else { return }
            (operands, count) = (writer.operands, writer.sink.position)
        }
        guard !operands.isEmpty else { return nil }
        self.init(bytes: bytes, operands: operands)
    }
}

/// Copies a message field by field. What leads to operands has its number in place of a tag, and an end in place of a length:
/// no field begins with such bytes, so that no two messages that say something else have the same copy.
private struct OutlineWriter {
    private(set) var sink: WireSink
    private(set) var operands: [Value] = []

    private static let end: UInt64 = 0
    /// A tag and a length. What is longer than it need be may be too long for whoever reads the message.
    private static let headBytesMax = 3
    /// What a Value begins with that is an array: operators on lists say more than one condition.
    private static let arrayTag: UInt8 = 9 << 3 | WireReader.Tag.lengthDelimited

    /// A message that leads to operands.
    enum Part {
        case queryRequest, aggregationRequest, aggregation, query, filter, composite, member, condition

        enum Lead {
            case part(Part)
            case operand
        }

        func lead(_ field: UInt32) -> Lead? {
            switch (self, field) {
            case (.queryRequest, 2), (.aggregation, 1): .part(.query)
            case (.aggregationRequest, 2): .part(.aggregation)
            case (.query, 3): .part(.filter)
            case (.filter, 1): .part(.composite)
            case (.composite, 2): .part(.member)
            case (.filter, 2), (.member, 2): .part(.condition)
            case (.condition, 3): .operand
            default: nil
            }
        }

        /// Whether another field says nothing about what the operands are.
        func allows(_ field: UInt32) -> Bool {
            switch self {
            case .queryRequest, .aggregationRequest: field == 1
            case .filter, .member: false
            case .aggregation, .query, .composite, .condition: true
            }
        }

        /// Elsewhere another one would be one with the first, or take its place.
        var hasSeveralLeads: Bool { self == .composite }
    }

    init(_ sink: WireSink) {
        self.sink = sink
    }

    mutating func isCopied(_ part: Part, _ message: UnsafeRawBufferPointer) -> Bool {
        do throws(DocumentError) { return try self.copy(part, message) } catch { return false }
    }

    /// False when the message is not of the kind.
    private mutating func copy(_ part: Part, _ message: UnsafeRawBufferPointer) throws(DocumentError) -> Bool {
        var reader = WireReader(message)
        var hasLead = false
        while !reader.isAtEnd {
            let start = reader.position
            let tag = try reader.tag()
            guard let lead = part.lead(tag.field) else {
                guard part.allows(tag.field) else { return false }
                try reader.skip(tag)
                self.sink.raw(reader.slice(start..<reader.position))
                continue
            }
            let lengthStart = reader.position
            let payload = try reader.payload()
            guard tag.type == WireReader.Tag.lengthDelimited, !hasLead || part.hasSeveralLeads,
                payload.lowerBound - start <= Self.headBytesMax, lengthStart - start == 1
            else { return false }
            hasLead = true
            self.sink.varint(UInt64(tag.field))
            guard try self.copy(lead, reader.slice(payload)) else { return false }
            self.sink.varint(Self.end)
        }
        return true
    }

    private mutating func copy(_ lead: Part.Lead, _ payload: UnsafeRawBufferPointer) throws(DocumentError) -> Bool {
        switch lead {
        case .part(let part): return try self.copy(part, payload)
        case .operand:
            guard let first = payload.first, first != Self.arrayTag else { return false }
            let operand = try Value(decoding: payload)
            // Values of other classes are other conditions.
            self.sink.varint(UInt64(operand.tag))
            self.operands.append(operand)
            return true
        }
    }
}
