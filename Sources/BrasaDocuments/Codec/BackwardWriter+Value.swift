/// The canonical form of each member of a Value message, and of the messages inside.
extension BackwardWriter {
    mutating func member(boolean: Bool) {
        self.varint(boolean ? 1 : 0)
        self.tag(ValueField.boolean, WireReader.Tag.varint)
    }

    mutating func member(integer: Int64) {
        self.varint(UInt64(bitPattern: integer))
        self.tag(ValueField.integer, WireReader.Tag.varint)
    }

    mutating func memberNull() {
        self.varint(0)
        self.tag(ValueField.null, WireReader.Tag.varint)
    }

    mutating func member(double: Double) {
        self.fixed64(double.isNaN ? canonicalNaN : double.bitPattern)
        self.tag(ValueField.double, WireReader.Tag.fixed64)
    }

    mutating func member(timestamp: Timestamp) {
        let mark = self.count
        self.timestamp(timestamp)
        self.header(ValueField.timestamp, since: mark)
    }

    /// The fields of a Timestamp message.
    mutating func timestamp(_ timestamp: Timestamp) {
        let (seconds, nanos) = timestamp.parts
        if nanos != 0 {
            self.varint(UInt64(nanos))
            self.tag(2, WireReader.Tag.varint)
        }
        if seconds != 0 {
            self.varint(UInt64(bitPattern: seconds))
            self.tag(1, WireReader.Tag.varint)
        }
    }

    mutating func member(latitude: Double, longitude: Double) {
        let mark = self.count
        if longitude.bitPattern != 0 {
            self.fixed64(longitude.bitPattern)
            self.tag(2, WireReader.Tag.fixed64)
        }
        if latitude.bitPattern != 0 {
            self.fixed64(latitude.bitPattern)
            self.tag(1, WireReader.Tag.fixed64)
        }
        self.header(ValueField.geoPoint, since: mark)
    }

    private mutating func member(_ field: UInt32, text: [UInt8]) {
        let mark = self.count
        self.bytes(text)
        self.header(field, since: mark)
    }

    mutating func value(_ value: Value) {
        let mark = self.count
        switch value {
        case .null: self.memberNull()
        case .boolean(let boolean): self.member(boolean: boolean)
        case .integer(let integer): self.member(integer: integer)
        case .double(let double): self.member(double: double)
        case .timestamp(let timestamp): self.member(timestamp: timestamp)
        case .string(let text): self.member(ValueField.string, text: text.bytes)
        case .bytes(let bytes): self.member(ValueField.bytes, text: bytes)
        case .reference(let name): self.member(ValueField.reference, text: name.bytes)
        case .geoPoint(let latitude, let longitude): self.member(latitude: latitude, longitude: longitude)
        case .array(let elements):
            for element in elements.reversed() {
                let elementMark = self.count
                self.value(element)
                self.header(ValueField.element, since: elementMark)
            }
            self.header(ValueField.array, since: mark)
        case .map(let entries):
            self.entries(entries, field: ValueField.element)
            self.header(ValueField.map, since: mark)
        }
    }

    /// `entries` are sorted by key, keys distinct.
    mutating func entries(_ entries: [Value.MapEntry], field: UInt32) {
        for entry in entries.reversed() {
            let entryMark = self.count
            self.value(entry.value)
            self.header(ValueField.value, since: entryMark)
            entry.key.bytes.withUnsafeBytes { self.entryHead(key: $0, field: field, since: entryMark) }
        }
    }

    /// The key and the header of an entry that began at `mark` and whose value is written.
    mutating func entryHead(key: UnsafeRawBufferPointer, field: UInt32, since mark: Int) {
        let keyMark = self.count
        self.bytes(key)
        self.header(ValueField.key, since: keyMark)
        self.header(field, since: mark)
    }
}
