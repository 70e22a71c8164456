/// A document's fields while writes change them. Only the maps on the way to a changed field are taken apart;
/// everything else stays a slice of the bytes it came from.
struct FieldTree {
    enum Node {
        /// A Value message.
        case encoded(ArraySlice<UInt8>)
        case value(Value)
        case map([Entry])
    }

    struct Entry {
        var key: ArraySlice<UInt8>
        var node: Node
    }

    /// Sorted by key, keys distinct.
    private var entries: [Entry]

    init(_ fields: EncodedFields) {
        self.entries = Self.split(fields.bytes[...], field: ValueField.documentFields)
    }

    func value(at path: FieldPath) -> Value? {
        var entries = self.entries
        for (index, name) in path.segments.enumerated() {
            let place = Self.place(of: name, in: entries)
            guard place.isPresent else { return nil }
            let node = entries[place.index].node
            if index == path.segments.count - 1 { return Self.value(of: node) }
            guard let inner = Self.map(of: node) else { return nil }
            entries = inner
        }
        return nil
    }

    /// Makes the maps on the way, and puts a map in the place of any other value there.
    mutating func set(_ node: Node, at path: FieldPath) throws(DocumentError) {
        guard path.segments.count <= Limits.nestingMax + 1 else {
            throw DocumentError(.nestedTooDeep(property: path.segments[0].string))
        }
        Self.set(node, at: path.segments[...], in: &self.entries)
    }

    /// Leaves the maps on the way, even when they become empty.
    mutating func remove(at path: FieldPath) {
        guard path.segments.count <= Limits.nestingMax + 1 else { return }
        Self.remove(at: path.segments[...], in: &self.entries)
    }

    func encoded() -> EncodedFields {
        var writer = BackwardWriter(capacity: Self.capacity(self.entries))
        Self.write(self.entries, field: ValueField.documentFields, to: &writer)
        return EncodedFields(canonical: writer.finish())
    }

    private static func set(_ node: Node, at names: ArraySlice<UTF8Text>, in entries: inout [Entry]) {
        guard let name = names.first else { return }
        let place = self.place(of: name, in: entries)
        if names.count == 1 {
            let entry = Entry(key: name.bytes[...], node: node)
            if place.isPresent { entries[place.index] = entry } else { entries.insert(entry, at: place.index) }
            return
        }
        if !place.isPresent { entries.insert(Entry(key: name.bytes[...], node: .map([])), at: place.index) }
        var inner = self.map(of: entries[place.index].node) ?? []
        entries[place.index].node = .map([])
        self.set(node, at: names.dropFirst(), in: &inner)
        entries[place.index].node = .map(inner)
    }

    private static func remove(at names: ArraySlice<UTF8Text>, in entries: inout [Entry]) {
        guard let name = names.first else { return }
        let place = self.place(of: name, in: entries)
        guard place.isPresent else { return }
        if names.count == 1 {
            entries.remove(at: place.index)
            return
        }
        guard var inner = self.map(of: entries[place.index].node) else { return }
        entries[place.index].node = .map([])
        self.remove(at: names.dropFirst(), in: &inner)
        entries[place.index].node = .map(inner)
    }

    /// Where the entry with this key is, or would have to be inserted.
    private static func place(of name: UTF8Text, in entries: [Entry]) -> (index: Int, isPresent: Bool) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let order = name.bytes.withUnsafeBytes { name in
                entries[middle].key.withUnsafeBytes { ByteOrder.compare(name, $0) }
            }
            switch order {
            case .same: return (middle, true)
            case .ascending: high = middle
            case .descending: low = middle + 1
            }
        }
        return (low, false)
    }

    private static func value(of node: Node) -> Value? {
        switch node {
        case .encoded(let bytes): Value(canonical: bytes)
        case .value(let value): value
        case .map(let entries):
            .map(
                entries.compactMap { entry in
                    self.value(of: entry.node).map {
                        Value.MapEntry(key: UTF8Text(validated: Array(entry.key)), value: $0)
                    }
                }
            )
        }
    }

    /// A map's entries; nil for every other value, a vector among them.
    private static func map(of node: Node) -> [Entry]? {
        switch node {
        case .map(let entries): return entries
        case .value(.map(let entries)) where Value.vectorComponents(of: entries) == nil:
            return entries.map { Entry(key: $0.key.bytes[...], node: .value($0.value)) }
        case .value: return nil
        case .encoded(let bytes):
            let payload: Range<Int>? = bytes.withUnsafeBytes { memory in
                var ignored = true
                var reader = WireReader(memory)
                let member = try? reader.valueMember(isCanonical: &ignored)
                guard let member, member.field == ValueField.map,
                    !ReservedMap.isVector(member.payload, of: WireReader(memory))
                else { return nil }
                return member.payload
            }
            guard let payload else { return nil }
            let start = bytes.startIndex
            return self.split(
                bytes[(start + payload.lowerBound)..<(start + payload.upperBound)],
                field: ValueField.element
            )
        }
    }

    /// Takes one level apart.
    private static func split(_ bytes: ArraySlice<UInt8>, field: UInt32) -> [Entry] {
        let parts: [EntryParts] = bytes.withUnsafeBytes { memory in
            var ignored = true
            var parts: [EntryParts] = []
            var reader = WireReader(memory)
            while let range = try? reader.nextElement(of: field, isCanonical: &ignored) {
                var entry = WireReader(memory).sub(range)
                guard let part = try? entry.entryParts(isCanonical: &ignored) else { break }
                parts.append(part)
            }
            return parts
        }
        let start = bytes.startIndex
        return parts.map { part in
            Entry(
                key: bytes[(start + part.key.lowerBound)..<(start + part.key.upperBound)],
                node: .encoded(bytes[(start + part.value.lowerBound)..<(start + part.value.upperBound)])
            )
        }
    }

    private static func capacity(_ entries: [Entry]) -> Int {
        entries.reduce(0) { sum, entry in
            if case .encoded(let bytes) = entry.node { sum + entry.key.count + bytes.count + 8 } else { sum + 64 }
        }
    }

    private static func write(_ entries: [Entry], field: UInt32, to writer: inout BackwardWriter) {
        for entry in entries.reversed() {
            let mark = writer.count
            switch entry.node {
            case .encoded(let bytes): writer.bytes(bytes)
            case .value(let value): writer.value(value)
            case .map(let inner):
                self.write(inner, field: ValueField.element, to: &writer)
                writer.header(ValueField.map, since: mark)
            }
            writer.header(ValueField.value, since: mark)
            writer.entryHead(key: entry.key, field: field, since: mark)
        }
    }
}
