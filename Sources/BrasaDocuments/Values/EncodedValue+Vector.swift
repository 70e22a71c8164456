extension EncodedValue {
    /// Puts a vector's components in the place of what was there. Returns false, and leaves none, for every other value.
    package func readVector(into components: inout [Double]) -> Bool {
        components.removeAll(keepingCapacity: true)
        let isVector = self.withUnsafeBytes { bytes in
            guard let elements = Self.vectorElements(bytes) else { return false }
            return Self.read(elements, of: WireReader(bytes), into: &components)
        }
        if !isVector { components.removeAll(keepingCapacity: true) }
        return isVector
    }

    /// The elements of the array in a vector's map.
    static func vectorElements(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        let memory = WireReader(bytes)
        var ignored = true
        var value = memory
        guard let map = try? value.valueMember(isCanonical: &ignored), map.field == ValueField.map,
            ReservedMap.isVector(map.payload, of: memory)
        else { return nil }
        var entries = memory.sub(map.payload)
        guard (try? entries.nextElement(of: ValueField.element, isCanonical: &ignored)) != nil,
            let second = try? entries.nextElement(of: ValueField.element, isCanonical: &ignored)
        else { return nil }
        var entry = memory.sub(second)
        guard let parts = try? entry.entryParts(isCanonical: &ignored),
            ReservedMap.equal(memory.slice(parts.key), ReservedMap.vectorKey)
        else { return nil }
        var array = memory.sub(parts.value)
        guard let array = try? array.valueMember(isCanonical: &ignored), array.field == ValueField.array else {
            return nil
        }
        return array.payload
    }

    /// Nearly all elements are doubles, and then eleven bytes each: an element of nine bytes, a double, and its bits.
    private static func read(_ elements: Range<Int>, of memory: WireReader, into components: inout [Double]) -> Bool {
        let bytes = memory.slice(elements)
        components.reserveCapacity(bytes.count / 11)
        var position = 0
        while bytes.count - position >= 11, bytes[position] == 0x0A, bytes[position + 1] == 0x09,
            bytes[position + 2] == 0x19
        {
            let bits = bytes.loadUnaligned(fromByteOffset: position + 3, as: UInt64.self)
            components.append(Double(bitPattern: UInt64(littleEndian: bits)))
            position += 11
        }
        var ignored = true
        var rest = memory.sub((elements.lowerBound + position)..<elements.upperBound)
        while let range = try? rest.nextElement(of: ValueField.element, isCanonical: &ignored) {
            var element = memory.sub(range)
            guard let member = try? element.valueMember(isCanonical: &ignored) else { return false }
            switch member.field {
            case ValueField.double: components.append(Double(bitPattern: member.bits))
            case ValueField.integer: components.append(Double(Int64(bitPattern: member.bits)))
            default: return false
            }
        }
        return true
    }
}
