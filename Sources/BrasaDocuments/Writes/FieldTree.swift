/// A document's fields while writes change them. Only the maps on the way to a changed field are taken apart;
/// everything else stays a slice of the bytes it came from.
struct FieldTree: Sendable {
    enum Node: Sendable {
        /// A Value message.
        case encoded(BytePart)
        case value(Value)
        case map(Level)
        case removed
    }

    struct Entry: Sendable {
        var key: BytePart
        var node: Node
    }

    /// One map's fields. What is new stands beside what was there, so that no change costs more than finding its place.
    struct Level: Sendable {
        /// Sorted by key, keys distinct.
        fileprivate var entries: [Entry] = []
        /// Keys that `entries` has not.
        fileprivate var added: [UTF8Text: Node] = [:]

        fileprivate subscript(name: UTF8Text) -> Node? {
            if let index = self.index(of: name) { return self.entries[index].node }
            return self.added.isEmpty ? nil : self.added[name]
        }

        fileprivate mutating func set(_ name: UTF8Text, _ node: Node) {
            if let index = self.index(of: name) {
                self.entries[index].node = node
            } else {
                self.added[name] = node
            }
        }

        /// Those that are there, in order.
        fileprivate var sorted: [Entry] {
            if self.added.isEmpty { return self.entries }
            var all = self.entries
            for (name, node) in self.added { all.append(Entry(key: BytePart(name.bytes), node: node)) }
            all.sort { left, right in
                left.key.withUnsafeBytes { left in
                    right.key.withUnsafeBytes { ByteOrder.compare(left, $0) == .ascending }
                }
            }
            return all
        }

        private func index(of name: UTF8Text) -> Int? {
            var low = 0
            var high = self.entries.count
            while low < high {
                let middle = (low + high) / 2
                let order = name.bytes.withUnsafeBytes { name in
                    self.entries[middle].key.withUnsafeBytes { ByteOrder.compare(name, $0) }
                }
                switch order {
                case .same: return middle
                case .ascending: high = middle
                case .descending: low = middle + 1
                }
            }
            return nil
        }
    }

    private var top: Level
    /// How many fields the maps had that were taken apart.
    private(set) var entryCount: Int

    init(_ fields: EncodedFields) {
        self.top = Self.split(BytePart(fields.bytes), field: ValueField.documentFields)
        self.entryCount = self.top.entries.count
    }

    /// The maps on the way stay apart: whoever asks for one field of a map asks for others.
    mutating func value(at path: FieldPath) -> Value? {
        Self.value(at: path.segments[...], in: &self.top, &self.entryCount)
    }

    /// Makes the maps on the way, and puts a map in the place of any other value there.
    mutating func set(_ node: Node, at path: FieldPath) throws(DocumentError) {
        guard path.segments.count <= Limits.nestingMax + 1 else {
            throw DocumentError(.nestedTooDeep(property: path.segments[0].string))
        }
        Self.set(node, at: path.segments[...], in: &self.top, &self.entryCount)
    }

    /// Leaves the maps on the way, even when they become empty.
    mutating func remove(at path: FieldPath) {
        guard path.segments.count <= Limits.nestingMax + 1 else { return }
        Self.remove(at: path.segments[...], in: &self.top, &self.entryCount)
    }

    func encoded() -> EncodedFields {
        var writer = BackwardWriter(capacity: Self.capacity(self.top))
        Self.write(self.top, field: ValueField.documentFields, to: &writer)
        return EncodedFields(canonical: writer.finishedString())
    }

    private static func set(
        _ node: Node,
        at names: ArraySlice<UTF8Text>,
        in level: inout Level,
        _ entryCount: inout Int
    ) {
        guard let name = names.first else { return }
        guard names.count > 1 else { return level.set(name, node) }
        var inner = level[name].flatMap { self.map(of: $0, &entryCount) } ?? Level()
        // So that there is one reference to what is changed.
        level.set(name, .removed)
        self.set(node, at: names.dropFirst(), in: &inner, &entryCount)
        level.set(name, .map(inner))
    }

    private static func remove(at names: ArraySlice<UTF8Text>, in level: inout Level, _ entryCount: inout Int) {
        guard let name = names.first else { return }
        guard names.count > 1 else {
            if level[name] != nil { level.set(name, .removed) }
            return
        }
        guard var inner = level[name].flatMap({ self.map(of: $0, &entryCount) }) else { return }
        level.set(name, .removed)
        self.remove(at: names.dropFirst(), in: &inner, &entryCount)
        level.set(name, .map(inner))
    }

    private static func value(
        at names: ArraySlice<UTF8Text>,
        in level: inout Level,
        _ entryCount: inout Int
    ) -> Value? {
        guard let name = names.first else { return nil }
        guard names.count > 1 else { return level[name].flatMap { self.value(of: $0) } }
        guard var inner = level[name].flatMap({ self.map(of: $0, &entryCount) }) else { return nil }
        level.set(name, .removed)
        defer { level.set(name, .map(inner)) }
        return self.value(at: names.dropFirst(), in: &inner, &entryCount)
    }

    private static func value(of node: Node) -> Value? {
        switch node {
        case .encoded(let bytes): Value(canonical: bytes)
        case .value(let value): value
        case .removed: nil
        case .map(let level):
            .map(
                level.sorted.compactMap { entry in
                    self.value(of: entry.node).map {
                        Value.MapEntry(key: UTF8Text(validated: Array(entry.key)), value: $0)
                    }
                }
            )
        }
    }

    /// A map's entries; nil for every other value, a vector among them.
    private static func map(of node: Node, _ entryCount: inout Int) -> Level? {
        switch node {
        case .map(let level): return level
        case .value(.map(let entries))
        where Value.vectorComponents(of: entries) == nil && PendingTimestamp(entries: entries) == nil:
            entryCount += entries.count
            return Level(entries: entries.map { Entry(key: BytePart($0.key.bytes), node: .value($0.value)) })
        case .value, .removed: return nil
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
            let level = self.split(bytes.part(payload), field: ValueField.element)
            entryCount += level.entries.count
            return level
        }
    }

    /// Takes one level apart.
    private static func split(_ bytes: BytePart, field: UInt32) -> Level {
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
        return Level(
            entries: parts.map { Entry(key: bytes.part($0.key), node: .encoded(bytes.part($0.value))) }
        )
    }

    private static func capacity(_ level: Level) -> Int {
        let old = level.entries.reduce(0) { sum, entry in
            if case .encoded(let bytes) = entry.node { sum + entry.key.count + bytes.count + 8 } else { sum + 64 }
        }
        return old + level.added.count * 64
    }

    private static func write(_ level: Level, field: UInt32, to writer: inout BackwardWriter) {
        for entry in level.sorted.reversed() {
            let mark = writer.count
            switch entry.node {
            case .encoded(let bytes): writer.bytes(bytes)
            case .value(let value): writer.value(value)
            case .removed: continue
            case .map(let inner):
                self.write(inner, field: ValueField.element, to: &writer)
                writer.header(ValueField.map, since: mark)
            }
            writer.header(ValueField.value, since: mark)
            entry.key.withUnsafeBytes { writer.entryHead(key: $0, field: field, since: mark) }
        }
    }
}
