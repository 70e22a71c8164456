extension Value {
    /// From a Value message's bytes, where an array lists operands: unlike a document's array it may hold arrays and
    /// vectors.
    package init(decodingList value: UnsafeRawBufferPointer) throws(DocumentError) {
        let memory = WireReader(value)
        var ignored = true
        var reader = memory
        guard let member = try reader.valueMember(isCanonical: &ignored), member.field == ValueField.array else {
            try self.init(decoding: value)
            return
        }
        var elements: [Value] = []
        var rest = memory.sub(member.payload)
        while let element = try rest.nextElement(of: ValueField.element, isCanonical: &ignored) {
            elements.append(try Value(decoding: memory.slice(element)))
        }
        self = .array(elements)
    }

    package init(decodingList value: some Collection<UInt8>) throws(DocumentError) {
        self = try borrowing(Array(value)) { (bytes) throws(DocumentError) in try Value(decodingList: bytes) }
    }
}
