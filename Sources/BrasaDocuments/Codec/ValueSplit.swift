/// A member of a Value message found on the wire: of several, the last one counts.
struct ValueMember {
    var field: UInt32
    /// The payload of a length-delimited member; empty for the others.
    var payload: Range<Int>
    /// The bits of a varint or fixed64 member.
    var bits: UInt64
}

/// One entry of a map on the wire: key and value as ranges of the memory. Absent parts are empty.
struct EntryParts {
    var key: Range<Int>
    var value: Range<Int>
}

extension WireReader {
    /// Reads to the end as a Value message. `isCanonical` turns false on anything but one member in its shortest form.
    mutating func valueMember(isCanonical: inout Bool) throws(DocumentError) -> ValueMember? {
        var member: ValueMember?
        while !self.isAtEnd {
            let tag = try self.tag()
            guard let type = ValueField.wireType(tag.field), type == tag.type else {
                isCanonical = false
                try self.skip(tag)
                continue
            }
            if member != nil { isCanonical = false }
            switch tag.type {
            case Tag.varint: member = ValueMember(field: tag.field, payload: 0..<0, bits: try self.varint())
            case Tag.fixed64: member = ValueMember(field: tag.field, payload: 0..<0, bits: try self.fixed64())
            default: member = ValueMember(field: tag.field, payload: try self.payload(), bits: 0)
            }
        }
        if !self.isMinimal { isCanonical = false }
        return member
    }

    /// Reads to the end as a map entry.
    mutating func entryParts(isCanonical: inout Bool) throws(DocumentError) -> EntryParts {
        var parts = EntryParts(key: self.position..<self.position, value: self.position..<self.position)
        var expected: UInt32 = ValueField.key
        while !self.isAtEnd {
            let tag = try self.tag()
            guard tag.type == Tag.lengthDelimited, tag.field == ValueField.key || tag.field == ValueField.value else {
                isCanonical = false
                try self.skip(tag)
                continue
            }
            if tag.field != expected { isCanonical = false }
            expected = tag.field + 1
            let payload = try self.payload()
            if tag.field == ValueField.key { parts.key = payload } else { parts.value = payload }
        }
        if !self.isMinimal { isCanonical = false }
        return parts
    }

    /// The next payload of a repeated field, stepping over all others; nil at the end.
    mutating func nextElement(of field: UInt32, isCanonical: inout Bool) throws(DocumentError) -> Range<Int>? {
        while !self.isAtEnd {
            let tag = try self.tag()
            if tag.field == field, tag.type == Tag.lengthDelimited {
                let payload = try self.payload()
                if !self.isMinimal { isCanonical = false }
                return payload
            }
            isCanonical = false
            try self.skip(tag)
        }
        return nil
    }

    /// Reads to the end as a Timestamp message. Nil when it is out of range; without the digits below a microsecond.
    mutating func timestamp(isCanonical: inout Bool) throws(DocumentError) -> Timestamp? {
        var seconds: UInt64 = 0
        var nanos: UInt64 = 0
        var lastField: UInt32 = 0
        while !self.isAtEnd {
            let tag = try self.tag()
            guard tag.type == Tag.varint, tag.field == 1 || tag.field == 2 else {
                isCanonical = false
                try self.skip(tag)
                continue
            }
            let number = try self.varint()
            if tag.field <= lastField || number == 0 { isCanonical = false }
            lastField = tag.field
            if tag.field == 1 { seconds = number } else { nanos = number }
        }
        if !self.isMinimal || nanos % 1_000 != 0 || nanos > 999_999_999 { isCanonical = false }
        return Timestamp(seconds: Int64(bitPattern: seconds), nanos: Int32(truncatingIfNeeded: nanos))
    }

    /// Reads to the end as a LatLng message.
    mutating func geoPoint(isCanonical: inout Bool) throws(DocumentError) -> (latitude: Double, longitude: Double) {
        var latitude: UInt64 = 0
        var longitude: UInt64 = 0
        var lastField: UInt32 = 0
        while !self.isAtEnd {
            let tag = try self.tag()
            guard tag.type == Tag.fixed64, tag.field == 1 || tag.field == 2 else {
                isCanonical = false
                try self.skip(tag)
                continue
            }
            let bits = try self.fixed64()
            if tag.field <= lastField || bits == 0 { isCanonical = false }
            lastField = tag.field
            if tag.field == 1 { latitude = bits } else { longitude = bits }
        }
        if !self.isMinimal { isCanonical = false }
        return (Double(bitPattern: latitude), Double(bitPattern: longitude))
    }
}
