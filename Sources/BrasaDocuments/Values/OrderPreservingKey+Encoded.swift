/// Keys from a document's bytes in place: the same as of the decoded values, without decoding them.
extension OrderPreservingKey {
    /// Appends the field's value. False, and nothing is appended, when the document has no such field.
    package mutating func append(_ fields: EncodedFields, at path: FieldPath, isDescending: Bool = false) -> Bool {
        let start = self.bytes.count
        let isThere = fields.bytes.withUnsafeBytes { bytes in
            guard let range = EncodedFields.range(of: path, in: bytes) else { return false }
            return self.append(encoded: range, of: WireReader(bytes))
        }
        if isThere, isDescending { self.complement(from: start) }
        return isThere
    }

    /// Appends the value that a Value message's canonical bytes hold. False, and nothing is appended, when they are none.
    package mutating func append(encoded value: UnsafeRawBufferPointer) -> Bool {
        self.append(encoded: 0..<value.count, of: WireReader(value))
    }

    fileprivate mutating func append(encoded value: Range<Int>, of memory: WireReader) -> Bool {
        let start = self.bytes.count
        do throws(DocumentError) {
            try self.append(value, of: memory, depth: 0)
            return true
        } catch {
            self.truncate(to: start)
            return false
        }
    }

    /// `depth` stops the recursion on bytes that are not canonical.
    private mutating func append(_ value: Range<Int>, of memory: WireReader, depth: Int) throws(DocumentError) {
        var ignored = true
        var reader = memory.sub(value)
        guard depth <= Limits.nestingMax + 1, let member = try reader.valueMember(isCanonical: &ignored) else {
            throw DocumentError(.malformedMessage)
        }
        switch member.field {
        case ValueField.null: self.append(.null)
        case ValueField.boolean: self.append(.boolean(member.bits != 0))
        case ValueField.integer: self.appendNumber(Int64(bitPattern: member.bits))
        case ValueField.double: self.append(.double(Double(bitPattern: member.bits)))
        case ValueField.string: self.appendTerminated(memory.slice(member.payload), tag: Tag.string)
        case ValueField.bytes: self.appendTerminated(memory.slice(member.payload), tag: Tag.bytes)
        case ValueField.reference: try self.append(reference: memory.slice(member.payload))
        case ValueField.timestamp:
            var reader = memory.sub(member.payload)
            guard let timestamp = try reader.timestamp(isCanonical: &ignored) else {
                throw DocumentError(.timestampOutOfRange)
            }
            self.append(.timestamp(timestamp))
        case ValueField.geoPoint:
            var reader = memory.sub(member.payload)
            let (latitude, longitude) = try reader.geoPoint(isCanonical: &ignored)
            self.append(.geoPoint(latitude: latitude, longitude: longitude))
        case ValueField.array:
            self.append(byte: Tag.array)
            var reader = memory.sub(member.payload)
            while let element = try reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
                try self.append(element, of: memory, depth: depth + 1)
            }
            self.append(byte: 0)
        case ValueField.map: try self.append(map: member.payload, of: memory, depth: depth)
        default: throw DocumentError(.malformedMessage)
        }
    }

    private mutating func append(reference name: UnsafeRawBufferPointer) throws(DocumentError) {
        let parser = NameParser(name: name, kind: .document)
        let (projectEnd, end) = try parser.database()
        let start = try parser.pathStart(after: end)
        let (project, database) = (9..<projectEnd, (projectEnd + 11)..<end)
        self.appendTerminated(UnsafeRawBufferPointer(rebasing: name[project]), tag: Tag.reference)
        self.appendTerminated(UnsafeRawBufferPointer(rebasing: name[database]))
        self.append(path: UnsafeRawBufferPointer(rebasing: name[start...]))
    }

    private mutating func append(map payload: Range<Int>, of memory: WireReader, depth: Int) throws(DocumentError) {
        if ReservedMap.isVector(payload, of: memory) {
            self.append(map: try ValueDecoder(memory).entries(payload, field: ValueField.element, depth: depth + 1))
            return
        }
        var ignored = true
        var reader = memory.sub(payload)
        self.append(byte: Tag.map)
        while let range = try reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
            var entry = memory.sub(range)
            let parts = try entry.entryParts(isCanonical: &ignored)
            self.appendTerminated(memory.slice(parts.key), tag: 1)
            try self.append(parts.value, of: memory, depth: depth + 1)
        }
        self.append(byte: 0)
    }
}

extension EncodedFields {
    /// The keys of an array's distinct elements, ascending: none when the field is no array or is not there, nil when the
    /// array has more than `limit` distinct ones.
    package func elementKeys(at path: FieldPath, limit: Int) -> [OrderPreservingKey]? {
        let keys: [OrderPreservingKey]? = self.bytes.withUnsafeBytes { bytes in
            let memory = WireReader(bytes)
            var ignored = true
            guard let range = Self.range(of: path, in: bytes) else { return [] }
            var value = memory.sub(range)
            guard let member = try? value.valueMember(isCanonical: &ignored), member.field == ValueField.array else {
                return []
            }
            var keys: [OrderPreservingKey] = []
            var reader = memory.sub(member.payload)
            while let element = try? reader.nextElement(of: ValueField.element, isCanonical: &ignored) {
                var key = OrderPreservingKey()
                if key.append(encoded: element, of: memory) { keys.append(key) }
                // Not all of them are held when many are the same.
                if keys.count > 2 * limit {
                    keys.sortWithoutDuplicates()
                    if keys.count > limit { return nil }
                }
            }
            return keys
        }
        guard var keys else { return nil }
        keys.sortWithoutDuplicates()
        return keys.count > limit ? nil : keys
    }
}

extension [OrderPreservingKey] {
    fileprivate mutating func sortWithoutDuplicates() {
        guard self.count > 1 else { return }
        self.sort()
        var distinct: [OrderPreservingKey] = []
        for key in self where distinct.last != key { distinct.append(key) }
        self = distinct
    }
}
