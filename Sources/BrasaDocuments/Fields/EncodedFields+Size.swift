extension EncodedFields {
    /// The document's size as the protocol counts it: what its limit and its bill are measured in.
    package func storedSize(name: DocumentName) -> Int { self.storedSize(path: name.path) }

    package func storedSize(path: ResourcePath) -> Int {
        let fields = self.bytes.withUnsafeBytes { bytes in
            StoredSize(memory: WireReader(bytes)).entries(0..<bytes.count, field: ValueField.documentFields)
        }
        return path.bytes.withUnsafeBytes(StoredSize.path) + fields + 32
    }

    /// Throws when the document is larger than the protocol allows.
    package func checkSize(name: DocumentName) throws(DocumentError) {
        // No byte on the wire stands for more than eight counted ones (an empty map in an array: 32 for 4), so most
        // documents need no walk.
        if self.bytes.count <= (Limits.documentBytesMax - 2 * Limits.nameBytesMax) / 8 { return }
        let size = self.storedSize(name: name)
        guard size <= Limits.documentBytesMax else {
            throw DocumentError(.documentTooLarge(name: name.string, bytes: size))
        }
    }
}

/// The size formula over canonical bytes. Recurses as deep as the values nest.
struct StoredSize {
    let memory: WireReader

    static func path(_ path: UnsafeRawBufferPointer) -> Int {
        var size = 16
        for id in path.split(separator: UInt8(ascii: "/")) {
            size += ResourceID.number(UnsafeRawBufferPointer(rebasing: id)) == nil ? id.count + 1 : 8
        }
        return size
    }

    func entries(_ payload: Range<Int>, field: UInt32) -> Int {
        var ignored = true
        var size = 0
        var reader = self.memory.sub(payload)
        while let range = try? reader.nextElement(of: field, isCanonical: &ignored) {
            var entry = self.memory.sub(range)
            guard let parts = try? entry.entryParts(isCanonical: &ignored) else { return size }
            size += parts.key.count + 1 + self.value(parts.value)
        }
        return size
    }

    private func value(_ range: Range<Int>) -> Int {
        var ignored = true
        var reader = self.memory.sub(range)
        guard let member = try? reader.valueMember(isCanonical: &ignored) else { return 0 }
        switch member.field {
        case ValueField.null, ValueField.boolean: return 1
        case ValueField.integer, ValueField.double, ValueField.timestamp: return 8
        case ValueField.geoPoint: return 16
        case ValueField.string: return member.payload.count + 1
        case ValueField.bytes: return member.payload.count
        case ValueField.reference: return self.reference(member.payload)
        case ValueField.array: return self.elements(member.payload) { self.value($0) }
        case ValueField.map:
            if let components = self.vectorComponents(member.payload) { return self.elements(components) { _ in 8 } }
            return self.entries(member.payload, field: ValueField.element) + 32
        default: return 0
        }
    }

    private func elements(_ payload: Range<Int>, _ size: (Range<Int>) -> Int) -> Int {
        var ignored = true
        var total = 0
        var reader = self.memory.sub(payload)
        while let element = try? reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
            total += size(element)
        }
        return total
    }

    private func reference(_ payload: Range<Int>) -> Int {
        let name = self.memory.slice(payload)
        let parser = NameParser(name: name, kind: .document)
        guard let database = try? parser.database(), let start = try? parser.pathStart(after: database.end) else {
            return 0
        }
        return Self.path(UnsafeRawBufferPointer(rebasing: name[start...]))
    }

    /// The elements of a vector, the one kind of map whose first key is `__type__`.
    private func vectorComponents(_ payload: Range<Int>) -> Range<Int>? {
        var ignored = true
        var reader = self.memory.sub(payload)
        guard let first = try? reader.nextElement(of: ValueField.element, isCanonical: &ignored),
            let second = try? reader.nextElement(of: ValueField.element, isCanonical: &ignored)
        else { return nil }
        var firstEntry = self.memory.sub(first)
        var secondEntry = self.memory.sub(second)
        guard let mark = try? firstEntry.entryParts(isCanonical: &ignored),
            ReservedMap.equal(self.memory.slice(mark.key), ReservedMap.typeKey),
            let components = try? secondEntry.entryParts(isCanonical: &ignored)
        else { return nil }
        var value = self.memory.sub(components.value)
        guard let member = try? value.valueMember(isCanonical: &ignored), member.field == ValueField.array else {
            return nil
        }
        return member.payload
    }
}
