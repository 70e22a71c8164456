extension EncodedFields {
    /// Finds values by path again and again: every map on a way is taken apart once, so that a mask of many fields costs
    /// little more than reading them. Complexity: O(log n) for each name of a path among n fields.
    struct Lookup {
        private struct Entry {
            let key: Range<Int>
            let value: Range<Int>
        }

        private let fields: EncodedFields
        private let top: [Entry]
        /// Of the maps that were looked into, by where their value starts; empty for other values.
        private var inner: [Int: [Entry]] = [:]

        init(_ fields: EncodedFields) {
            self.fields = fields
            self.top = fields.bytes.withUnsafeBytes { bytes in
                Self.entries(in: WireReader(bytes), of: WireReader(bytes), field: ValueField.documentFields)
            }
        }

        /// The bytes of the Value message at a path.
        mutating func encodedValue(at path: FieldPath) -> BytePart? {
            guard let name = path.segments.first, var found = self.find(name, in: self.top) else { return nil }
            for name in path.segments.dropFirst() {
                guard let value = self.find(name, in: self.entries(of: found)) else { return nil }
                found = value
            }
            return BytePart(self.fields.bytes, found)
        }

        private mutating func entries(of value: Range<Int>) -> [Entry] {
            if let known = self.inner[value.lowerBound] { return known }
            let entries = self.fields.bytes.withUnsafeBytes { bytes -> [Entry] in
                let memory = WireReader(bytes)
                var ignored = true
                var reader = memory.sub(value)
                guard let member = try? reader.valueMember(isCanonical: &ignored), member.field == ValueField.map,
                    !ReservedMap.isVector(member.payload, of: memory)
                else { return [] }
                return Self.entries(in: memory.sub(member.payload), of: memory, field: ValueField.element)
            }
            self.inner[value.lowerBound] = entries
            return entries
        }

        private static func entries(in map: WireReader, of memory: WireReader, field: UInt32) -> [Entry] {
            var entries: [Entry] = []
            var ignored = true
            var reader = map
            while let range = try? reader.nextElement(of: field, isCanonical: &ignored) {
                var entry = memory.sub(range)
                guard let parts = try? entry.entryParts(isCanonical: &ignored) else { break }
                entries.append(Entry(key: parts.key, value: parts.value))
            }
            return entries
        }

        private func find(_ name: UTF8Text, in entries: [Entry]) -> Range<Int>? {
            self.fields.bytes.withUnsafeBytes { bytes in
                name.bytes.withUnsafeBytes { name in
                    var (low, high) = (0, entries.count)
                    while low < high {
                        let middle = (low + high) / 2
                        let entry = entries[middle]
                        switch ByteOrder.compare(UnsafeRawBufferPointer(rebasing: bytes[entry.key]), name) {
                        case .ascending: low = middle + 1
                        case .same: return entry.value
                        case .descending: high = middle
                        }
                    }
                    return nil
                }
            }
        }
    }
}
