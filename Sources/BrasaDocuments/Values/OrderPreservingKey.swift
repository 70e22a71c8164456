/// Bytes whose plain comparison is the total order of values and of document names. Each part ends by itself, so parts
/// can follow each other in one key.
package struct OrderPreservingKey: Hashable, Comparable, Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package init(capacity: Int) {
        self.bytes.reserveCapacity(capacity)
    }

    package init(_ value: Value) {
        self.append(value)
    }

    package init(_ path: ResourcePath) {
        self.append(path)
    }

    /// First byte of each class of values, in the order of the classes.
    package enum Tag {
        package static let null: UInt8 = 0x05
        package static let boolean: UInt8 = 0x0A
        package static let nan: UInt8 = 0x0D
        package static let number: UInt8 = 0x0F
        package static let timestamp: UInt8 = 0x14
        /// Of clients only; see `PendingTimestamp`.
        package static let pendingTimestamp: UInt8 = 0x17
        package static let string: UInt8 = 0x19
        package static let bytes: UInt8 = 0x1E
        package static let reference: UInt8 = 0x25
        package static let geoPoint: UInt8 = 0x2D
        package static let array: UInt8 = 0x32
        package static let vector: UInt8 = 0x35
        package static let map: UInt8 = 0x37
    }

    package mutating func append(_ value: Value) {
        switch value {
        case .null: self.bytes.append(Tag.null)
        case .boolean(let boolean): self.bytes += [Tag.boolean, boolean ? 1 : 0]
        case .integer(let integer): self.appendNumber(integer)
        case .double(let double):
            if double.isNaN {
                self.bytes.append(Tag.nan)
            } else {
                self.bytes.append(Tag.number)
                self.appendOrdered(double)
                self.appendBigEndian(UInt16(0))
            }
        case .timestamp(let timestamp):
            self.append(timestamp, tag: Tag.timestamp)
        case .string(let text): self.appendTerminated(text.bytes, tag: Tag.string)
        case .bytes(let bytes): self.appendTerminated(bytes, tag: Tag.bytes)
        case .reference(let name):
            self.appendTerminated(name.database.project.bytes, tag: Tag.reference)
            self.appendTerminated(name.database.database.bytes)
            self.append(name.path)
        case .geoPoint(let latitude, let longitude):
            self.bytes.append(Tag.geoPoint)
            self.appendOrdered(latitude)
            self.appendOrdered(longitude)
        case .array(let elements):
            self.bytes.append(Tag.array)
            for element in elements { self.append(element) }
            self.bytes.append(0)
        case .map(let entries): self.append(map: entries)
        }
    }

    /// The segments of a document's path and their end.
    package mutating func append(_ path: ResourcePath) {
        path.bytes.withUnsafeBytes { self.append(path: $0) }
    }

    mutating func append(path: UnsafeRawBufferPointer) {
        var (start, isDocumentID) = (0, false)
        while start < path.count {
            let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
            self.append(id: UnsafeRawBufferPointer(rebasing: path[start..<end]), isDocumentID: isDocumentID)
            start = end + 1
            isDocumentID.toggle()
        }
        self.bytes.append(0)
    }

    /// The path, the root or a document, below which the document's collection is.
    package mutating func appendParentOfCollection(of path: ResourcePath) {
        let count = path.bytes.count - path.lastSegment.count - path.collectionID.count - 2
        path.bytes.withUnsafeBytes { self.append(path: UnsafeRawBufferPointer(rebasing: $0[..<max(count, 0)])) }
    }

    /// The last segment of a document's path, written as in the whole path.
    package mutating func appendID(of path: ResourcePath) {
        path.lastSegment.withUnsafeBytes { self.append(id: $0, isDocumentID: path.isDocument) }
    }

    private mutating func append(id: UnsafeRawBufferPointer, isDocumentID: Bool) {
        if isDocumentID, let number = ResourceID.number(id) {
            self.bytes.append(1)
            self.appendSigned(number)
        } else {
            self.appendTerminated(id, tag: 2)
        }
    }

    package mutating func append(part: OrderPreservingKey) {
        self.bytes.append(contentsOf: part.bytes)
    }

    /// Appends a part that sorts in reverse.
    package mutating func appendDescending(_ part: OrderPreservingKey) {
        self.bytes.append(contentsOf: part.bytes.lazy.map { ~$0 })
    }

    /// Makes what stands from `start` on sort in reverse.
    package mutating func complement(from start: Int) {
        for index in start..<self.bytes.count { self.bytes[index] = ~self.bytes[index] }
    }

    mutating func truncate(to count: Int) {
        self.bytes.removeLast(self.bytes.count - count)
    }

    mutating func append(byte: UInt8) { self.bytes.append(byte) }

    package static func < (left: OrderPreservingKey, right: OrderPreservingKey) -> Bool {
        ByteOrder.compare(left.bytes, right.bytes) == .ascending
    }

    mutating func append(map entries: [Value.MapEntry]) {
        if let components = Value.vectorComponents(of: entries) {
            self.bytes.append(Tag.vector)
            self.appendBigEndian(UInt32(truncatingIfNeeded: components.count))
            for component in components { self.appendOrdered(component) }
            return
        }
        if let pending = PendingTimestamp(entries: entries) {
            self.append(pending.localWriteTime, tag: Tag.pendingTimestamp)
            return
        }
        self.bytes.append(Tag.map)
        for entry in entries {
            self.appendTerminated(entry.key.bytes, tag: 1)
            self.append(entry.value)
        }
        self.bytes.append(0)
    }

    private mutating func append(_ timestamp: Timestamp, tag: UInt8) {
        self.bytes.append(tag)
        self.appendSigned(timestamp.seconds)
        self.appendBigEndian(UInt32(timestamp.nanos / 1_000))
    }

    /// The greatest double that is not above the integer, and what is missing to it.
    mutating func appendNumber(_ integer: Int64) {
        var lower = Double(integer)
        if NumberOrder.compare(integer, lower) == .ascending { lower = lower.nextDown }
        self.bytes.append(Tag.number)
        self.appendOrdered(lower)
        self.appendBigEndian(UInt16(truncatingIfNeeded: integer &- Int64(lower)))
    }

    /// NaN comes below all numbers here too: in vectors it may stand.
    mutating func appendOrdered(_ double: Double) {
        guard !double.isNaN else { return self.appendBigEndian(UInt64(0)) }
        let bits = (double == 0 ? 0.0 : double).bitPattern
        self.appendBigEndian(bits >> 63 == 1 ? ~bits : bits ^ (1 << 63))
    }

    mutating func appendSigned(_ number: Int64) {
        self.appendBigEndian(UInt64(bitPattern: number) ^ (1 << 63))
    }

    mutating func appendBigEndian(_ number: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: number.bigEndian) { self.bytes.append(contentsOf: $0) }
    }

    private mutating func appendTerminated(_ run: [UInt8], tag: UInt8? = nil) {
        run.withUnsafeBytes { self.appendTerminated($0, tag: tag) }
    }

    /// 00 is written as 00 FF and the end as 00 01, so that a run comes before all that it begins.
    mutating func appendTerminated(_ run: UnsafeRawBufferPointer, tag: UInt8? = nil) {
        if let tag { self.bytes.append(tag) }
        var rest = run[...]
        while let zero = rest.firstIndex(of: 0) {
            self.bytes.append(contentsOf: rest[...zero])
            self.bytes.append(0xFF)
            rest = rest[(zero + 1)...]
        }
        self.bytes.append(contentsOf: rest)
        self.bytes.append(0)
        self.bytes.append(1)
    }
}
