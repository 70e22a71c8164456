extension EncodedFields {
    /// Entries in any order; of equal keys the last counts. The values must be ones that a document may hold.
    package init(encoding entries: [Value.MapEntry]) {
        var writer = BackwardWriter(capacity: 32 * entries.count)
        writer.entries(Value.sortedEntries(entries), field: ValueField.documentFields)
        self.init(canonical: writer.finishedString())
    }

    /// All fields, sorted by name.
    package var decoded: [Value.MapEntry] {
        self.bytes.withUnsafeBytes { bytes in
            (try? ValueDecoder(bytes).entries(0..<bytes.count, field: ValueField.documentFields, depth: 0)) ?? []
        }
    }

    /// The value at a path, or nil when there is none. Steps over what comes before it and decodes nothing else.
    package func value(at path: FieldPath) -> Value? {
        self.bytes.withUnsafeBytes { bytes in
            guard let range = Self.range(of: path, in: bytes) else { return nil }
            return try? ValueDecoder(bytes).value(range)
        }
    }

    /// The bytes of the Value message at a path.
    package func encodedValue(at path: FieldPath) -> BytePart? {
        self.bytes.withUnsafeBytes { Self.range(of: path, in: $0) }.map { BytePart(self.bytes, $0) }
    }

    static func range(of path: FieldPath, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let name = path.segments.first,
            let top = self.find(name.bytes, in: WireReader(bytes), field: ValueField.documentFields)
        else { return nil }
        return self.range(of: path, in: bytes, below: top)
    }

    /// The same once the value of the path's first name is found.
    static func range(
        of path: FieldPath,
        in bytes: UnsafeRawBufferPointer,
        below top: Range<Int>
    ) -> Range<Int>? {
        let memory = WireReader(bytes)
        var found = top
        for name in path.segments.dropFirst() {
            var ignored = true
            var reader = memory.sub(found)
            guard let member = try? reader.valueMember(isCanonical: &ignored), member.field == ValueField.map,
                !ReservedMap.isVector(member.payload, of: memory),
                let value = self.find(name.bytes, in: memory.sub(member.payload), field: ValueField.element)
            else { return nil }
            found = value
        }
        return found
    }

    /// The value of the entry with this key. Entries are sorted, so the search ends at the first greater key.
    private static func find(_ key: [UInt8], in entries: WireReader, field: UInt32) -> Range<Int>? {
        var ignored = true
        var reader = entries
        return key.withUnsafeBytes { key in
            while let range = try? reader.nextElement(of: field, isCanonical: &ignored) {
                var entry = entries.sub(range)
                guard let parts = try? entry.entryParts(isCanonical: &ignored) else { return nil }
                switch ByteOrder.compare(entries.slice(parts.key), key) {
                case .ascending: continue
                case .same: return parts.value
                case .descending: return nil
                }
            }
            return nil
        }
    }
}

extension Value {
    /// The bytes of a Value message, canonical.
    package func encoded() -> [UInt8] {
        var writer = BackwardWriter(capacity: 32)
        writer.value(self)
        return writer.finish()
    }

    /// From a Value message's bytes, checked by the same rules as a document's fields.
    package init(decoding value: UnsafeRawBufferPointer) throws(DocumentError) {
        var scanner = ValueScanner(value)
        try scanner.value(0..<value.count, in: .document)
        guard !scanner.isCanonical else {
            self = try ValueDecoder(value).value(0..<value.count)
            return
        }
        var canonicalizer = Canonicalizer(value)
        try canonicalizer.value(0..<value.count)
        self = try borrowing(canonicalizer.finish()) { (bytes) throws(DocumentError) in
            try ValueDecoder(bytes).value(0..<bytes.count)
        }
    }

    package init(decoding value: some Collection<UInt8>) throws(DocumentError) {
        self = try borrowing(Array(value)) { (bytes) throws(DocumentError) in try Value(decoding: bytes) }
    }

    /// For bytes out of an `EncodedFields`.
    init?(canonical value: BytePart) {
        let decoded = value.withUnsafeBytes { try? ValueDecoder($0).value(0..<$0.count) }
        guard let decoded else { return nil }
        self = decoded
    }

    /// A map of entries in any order; of equal keys the last counts.
    package static func map(sorting entries: [MapEntry]) -> Value {
        .map(self.sortedEntries(entries))
    }

    static func sortedEntries(_ entries: [MapEntry]) -> [MapEntry] {
        var sorted: [MapEntry] = []
        sorted.reserveCapacity(entries.count)
        let order = entries.indices.sorted { (entries[$0].key, $0) < (entries[$1].key, $1) }
        for index in order {
            if sorted.last?.key == entries[index].key { sorted.removeLast() }
            sorted.append(entries[index])
        }
        return sorted
    }
}
