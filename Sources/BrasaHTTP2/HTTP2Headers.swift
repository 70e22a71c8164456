/// An ordered list of header fields: all bytes in one array, and where each field lies in another.
///
/// Copying it copies nothing until one copy is changed, so a list that is sent with every response is made once.
/// Where the fields stand that everybody asks for is noted as they come; looking up another is a scan, which for the ten
/// or so fields of a request is quicker than a table. Names are lower case.
@usableFromInline
package struct HTTP2Headers: Sendable {
    struct Field {
        /// Where the name starts; the value follows it.
        var start: UInt32
        var nameCount: UInt32
        var valueCount: UInt32

        var valueStart: Int { Int(self.start) + Int(self.nameCount) }
        var end: Int { self.valueStart + Int(self.valueCount) }
    }

    @usableFromInline private(set) var bytes: [UInt8] = []
    private(set) var fields: [Field] = []
    private var known = HTTP2KnownName.Positions()

    package init() {}

    package init(_ fields: [(name: HTTP2HeaderName, value: String)]) {
        for field in fields { self.append(field.name, field.value) }
    }

    package var count: Int { self.fields.count }
    package var isEmpty: Bool { self.fields.isEmpty }

    /// The size that RFC 9113 gives the list: its bytes, and 32 for each field.
    package var listBytes: Int { self.bytes.count + 32 * self.fields.count }

    // MARK: Building

    package mutating func append(_ name: HTTP2HeaderName, _ value: String) {
        var value = value
        value.withUTF8 { value in
            name.withBytes { self.append(name: $0, value: UnsafeRawBufferPointer(value)) }
        }
    }

    package mutating func append(_ name: HTTP2HeaderName, _ value: some Collection<UInt8>) {
        let start = self.bytes.count
        name.withBytes { self.bytes.append(contentsOf: $0) }
        self.bytes.append(contentsOf: value)
        self.addField(start: start, nameCount: name.text.utf8CodeUnitCount, known: name.known)
    }

    /// `name` is taken as it is: lower case is the caller's duty.
    package mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let start = self.bytes.count
        self.bytes.append(contentsOf: name)
        self.bytes.append(contentsOf: value)
        let known = self.bytes.withUnsafeBytes { HTTP2KnownName(.init(rebasing: $0[start..<start + name.count])) }
        self.addField(start: start, nameCount: name.count, known: known)
    }

    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let start = self.bytes.count
        // Room for both is asked for once: a call has ten of them.
        self.bytes.append(addingCapacity: name.count + value.count) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                let room = UnsafeMutableRawBufferPointer(buffer)
                room.copyMemory(from: name)
                UnsafeMutableRawBufferPointer(rebasing: room[name.count...]).copyMemory(from: value)
                count = room.count
            }
        }
        self.addField(start: start, nameCount: name.count, known: HTTP2KnownName(name))
    }

    private mutating func addField(start: Int, nameCount: Int, known: HTTP2KnownName?) {
        if let known { self.known.note(known, at: self.fields.count) }
        let valueCount = self.bytes.count - start - nameCount
        self.fields.append(
            Field(start: UInt32(start), nameCount: UInt32(nameCount), valueCount: UInt32(valueCount))
        )
    }

    /// Forgets all fields; the storage stays when nobody shares it.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.fields.removeAll(keepingCapacity: true)
        self.known = .init()
    }

    // MARK: Looking up

    /// The value of the first field of that name.
    package subscript(name: HTTP2HeaderName) -> ArraySlice<UInt8>? {
        guard let field = self.firstField(named: name) else { return nil }
        return self.bytes[field.valueStart..<field.end]
    }

    package func contains(_ name: HTTP2HeaderName) -> Bool {
        self.firstField(named: name) != nil
    }

    /// The value of the first field of that name, ill-formed UTF-8 repaired.
    package func string(_ name: HTTP2HeaderName) -> String? {
        self[name].map { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the value's bytes in place, nil when there is no such field. They are not to leave the closure.
    @inlinable package func withValue<Result>(
        _ name: HTTP2HeaderName,
        _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        guard let place = self.valuePlace(of: name) else { return body(nil) }
        return self.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[place])) }
    }

    /// Where in `bytes` the value of the first field of that name stands.
    @usableFromInline func valuePlace(of name: HTTP2HeaderName) -> Range<Int>? {
        self.firstField(named: name).map { $0.valueStart..<$0.end }
    }

    /// The values of all fields of that name as one, with commas between them (RFC 9110, 5.3), where there are several.
    package func repeatedValues(_ name: HTTP2HeaderName) -> [UInt8]? {
        if let known = name.known, self.fields.count <= HTTP2KnownName.Positions.countMax, !self.known.isRepeated(known)
        {
            return nil
        }
        let values = (0..<self.count).map { self[$0] }.filter { field in
            name.withBytes { $0.elementsEqual(field.name) }
        }
        return values.count > 1 ? Array(values.map(\.value).joined(separator: Array(", ".utf8))) : nil
    }

    private func firstField(named name: HTTP2HeaderName) -> Field? {
        if let known = name.known, self.fields.count <= HTTP2KnownName.Positions.countMax {
            return self.known.position(of: known).map { self.fields[$0] }
        }
        return name.withBytes { name in
            self.bytes.withUnsafeBytes { bytes in
                for field in self.fields where Int(field.nameCount) == name.count {
                    let start = Int(field.start)
                    var position = 0
                    while position < name.count, bytes[start + position] == name[position] { position += 1 }
                    if position == name.count { return field }
                }
                return nil
            }
        }
    }

    // MARK: Walking

    /// The field at a position below `count`.
    package subscript(position: Int) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        let field = self.fields[position]
        return (
            self.bytes[Int(field.start)..<field.valueStart],
            self.bytes[field.valueStart..<field.end]
        )
    }
}

extension HTTP2Headers: CustomStringConvertible {
    @usableFromInline package var description: String {
        (0..<self.count).map { position in
            let (name, value) = self[position]
            return "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))"
        }.joined(separator: "\n")
    }
}
