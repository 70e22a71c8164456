extension EncodedFields {
    /// Finds values by path again and again: the top level is taken apart once, so that a mask of many fields costs
    /// little more than reading them. Complexity: O(log n) for each look-up among n top-level fields.
    struct Lookup {
        private let fields: EncodedFields
        private let entries: [(key: Range<Int>, value: Range<Int>)]

        init(_ fields: EncodedFields) {
            self.fields = fields
            self.entries = fields.bytes.withUnsafeBytes { bytes in
                var entries: [(key: Range<Int>, value: Range<Int>)] = []
                var ignored = true
                let memory = WireReader(bytes)
                var reader = memory
                while let range = try? reader.nextElement(of: ValueField.documentFields, isCanonical: &ignored) {
                    var entry = memory.sub(range)
                    guard let parts = try? entry.entryParts(isCanonical: &ignored) else { break }
                    entries.append((parts.key, parts.value))
                }
                return entries
            }
        }

        /// The bytes of the Value message at a path.
        func encodedValue(at path: FieldPath) -> ArraySlice<UInt8>? {
            guard let name = path.segments.first else { return nil }
            return self.fields.bytes.withUnsafeBytes { bytes -> Range<Int>? in
                guard let top = self.find(name.bytes, in: bytes) else { return nil }
                return EncodedFields.range(of: path, in: bytes, below: top)
            }.map { self.fields.bytes[$0] }
        }

        private func find(_ key: [UInt8], in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
            key.withUnsafeBytes { key in
                var (low, high) = (0, self.entries.count)
                while low < high {
                    let middle = (low + high) / 2
                    let entry = self.entries[middle]
                    switch ByteOrder.compare(UnsafeRawBufferPointer(rebasing: bytes[entry.key]), key) {
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
