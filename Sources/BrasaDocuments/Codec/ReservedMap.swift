/// The maps that may have a reserved key: a vector, and the single-key maps by which newer clients write types that
/// this protocol version has no member for; those are stored as they are.
enum ReservedMap {
    static let typeKey: StaticString = "__type__"
    static let vectorMark: StaticString = "__vector__"
    static let vectorKey: StaticString = "value"

    private static let singleKeys: [StaticString] = [
        "__min__", "__max__", "__oid__", "__int__", "__decimal128__", "__binary__", "__request_timestamp__",
        "__regex__",
    ]

    static func allows(_ key: UnsafeRawBufferPointer) -> Bool {
        self.equal(key, self.typeKey) || self.singleKeys.contains { self.equal(key, $0) }
    }

    /// Whether a canonical map is a vector: `__type__` sorts before `value`, and no other map may have it. To masks and
    /// field paths a vector is one value with nothing inside.
    static func isVector(_ payload: Range<Int>, of memory: WireReader) -> Bool {
        var ignored = true
        var reader = memory.sub(payload)
        guard let first = try? reader.nextElement(of: ValueField.element, isCanonical: &ignored) else { return false }
        var entry = memory.sub(first)
        guard let parts = try? entry.entryParts(isCanonical: &ignored) else { return false }
        return self.equal(memory.slice(parts.key), self.typeKey)
    }

    /// The class of a map whose first key is `__type__`: a vector, or in a client's memory a pending timestamp.
    static func tag(ofOpaque payload: Range<Int>, of memory: WireReader) -> UInt8 {
        let entries = try? ValueDecoder(memory).entries(payload, field: ValueField.element, depth: 1)
        return Value.map(entries ?? []).tag
    }

    /// Checks a map, its entries being valid by themselves, that has at least one reserved key.
    static func check(_ payload: Range<Int>, isInArray: Bool, of memory: WireReader) throws(DocumentError) {
        var entries: [EntryParts] = []
        var isCanonical = true
        var reader = memory.sub(payload)
        while let range = try reader.nextElement(of: ValueField.element, isCanonical: &isCanonical) {
            var entry = memory.sub(range)
            entries.append(try entry.entryParts(isCanonical: &isCanonical))
        }
        entries = EntryOrder.sorted(entries, of: memory)
        for entry in entries where ResourceID.isReserved(memory.slice(entry.key)) {
            let isLegal =
                self.equal(memory.slice(entry.key), self.typeKey)
                ? try self.checkVector(entries, of: memory) : entries.count == 1
            guard isLegal else {
                throw DocumentError(.fieldNameReserved(String(decoding: memory.slice(entry.key), as: UTF8.self)))
            }
            if isInArray && entries.count == 2 { throw DocumentError(.vectorInArray) }
        }
    }

    private static func checkVector(_ entries: [EntryParts], of memory: WireReader) throws(DocumentError) -> Bool {
        var isCanonical = true
        guard entries.count == 2, self.equal(memory.slice(entries[1].key), self.vectorKey) else { return false }
        var mark = memory.sub(entries[0].value)
        var components = memory.sub(entries[1].value)
        guard let mark = try mark.valueMember(isCanonical: &isCanonical), mark.field == ValueField.string,
            self.equal(memory.slice(mark.payload), self.vectorMark),
            let components = try components.valueMember(isCanonical: &isCanonical),
            components.field == ValueField.array
        else { return false }
        var dimensions = 0
        var reader = memory.sub(components.payload)
        while let range = try reader.nextElement(of: ValueField.element, isCanonical: &isCanonical) {
            var element = memory.sub(range)
            let component = try element.valueMember(isCanonical: &isCanonical)
            guard let component, component.field == ValueField.double || component.field == ValueField.integer else {
                throw DocumentError(.vectorComponentNotNumber)
            }
            if component.field == ValueField.double && Double(bitPattern: component.bits).isNaN {
                throw DocumentError(.vectorNotANumber)
            }
            dimensions += 1
        }
        guard dimensions > 0 else { throw DocumentError(.vectorEmpty) }
        guard dimensions <= Limits.vectorDimensionsMax else { throw DocumentError(.vectorTooLong) }
        return true
    }

    static func equal(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.count == text.utf8CodeUnitCount
            && ByteOrder.firstMismatch(
                bytes,
                UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            ) == bytes.count
    }
}
