/// Writes the canonical form of bytes that `ValueScanner` has passed. It never grows them, so the output fits into one
/// buffer of the input's size.
struct Canonicalizer {
    private let memory: WireReader
    private var writer: BackwardWriter

    init(_ bytes: UnsafeRawBufferPointer) {
        self.memory = WireReader(bytes)
        self.writer = BackwardWriter(capacity: bytes.count)
    }

    consuming func finish() -> [UInt8] { self.writer.finish() }

    consuming func finishedString() -> ByteString { self.writer.finishedString() }

    /// `ranges` are entries as they stood on the wire; `field` is the number that each is written under.
    mutating func entries(_ ranges: [Range<Int>], field: UInt32) throws(DocumentError) {
        var ignored = true
        var entries: [EntryParts] = []
        entries.reserveCapacity(ranges.count)
        for range in ranges {
            var reader = self.memory.sub(range)
            entries.append(try reader.entryParts(isCanonical: &ignored))
        }
        for entry in EntryOrder.sorted(entries, of: self.memory).reversed() {
            let entryMark = self.writer.count
            try self.value(entry.value)
            self.writer.header(ValueField.value, since: entryMark)
            let keyMark = self.writer.count
            self.writer.bytes(self.memory.slice(entry.key))
            self.writer.header(ValueField.key, since: keyMark)
            self.writer.header(field, since: entryMark)
        }
    }

    mutating func value(_ range: Range<Int>) throws(DocumentError) {
        var ignored = true
        var reader = self.memory.sub(range)
        guard let member = try reader.valueMember(isCanonical: &ignored) else {
            throw DocumentError(.valueTypeUnset)
        }
        let mark = self.writer.count
        switch member.field {
        case ValueField.boolean: self.writer.member(boolean: member.bits != 0)
        case ValueField.integer: self.writer.member(integer: Int64(bitPattern: member.bits))
        case ValueField.null: self.writer.memberNull()
        case ValueField.double: self.writer.member(double: Double(bitPattern: member.bits))
        case ValueField.timestamp:
            var reader = self.memory.sub(member.payload)
            guard let timestamp = try reader.timestamp(isCanonical: &ignored) else {
                throw DocumentError(.timestampOutOfRange)
            }
            self.writer.member(timestamp: timestamp)
        case ValueField.geoPoint:
            var reader = self.memory.sub(member.payload)
            let (latitude, longitude) = try reader.geoPoint(isCanonical: &ignored)
            self.writer.member(latitude: latitude, longitude: longitude)
        case ValueField.array:
            for element in try self.elements(member.payload).reversed() {
                let elementMark = self.writer.count
                try self.value(element)
                self.writer.header(ValueField.element, since: elementMark)
            }
            self.writer.header(ValueField.array, since: mark)
        case ValueField.map:
            try self.entries(try self.elements(member.payload), field: ValueField.element)
            self.writer.header(ValueField.map, since: mark)
        default:
            self.writer.bytes(self.memory.slice(member.payload))
            self.writer.header(member.field, since: mark)
        }
    }

    private func elements(_ payload: Range<Int>) throws(DocumentError) -> [Range<Int>] {
        var ignored = true
        var elements: [Range<Int>] = []
        var reader = self.memory.sub(payload)
        while let element = try reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
            elements.append(element)
        }
        return elements
    }
}
