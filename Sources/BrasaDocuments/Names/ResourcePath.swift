/// What follows `documents/` in a name: collection id, document id, collection id, … Empty for the root. Its ids are
/// valid, and it is at most `Limits.nameBytesMax` long.
///
/// Every document in memory has one, so it is the reference of a byte string and nothing else: how many segments it has is
/// counted when somebody asks, which takes less than a look at memory elsewhere would.
@usableFromInline
package struct ResourcePath: Hashable, Sendable {
    package let bytes: ByteString

    /// One object, whose references all threads count: what is parsed has its own.
    package static let root = ResourcePath(checked: ByteString([]))

    /// A path by itself, without the database before it: from the log, from a page token, in tests.
    package init(parsing path: UnsafeRawBufferPointer) throws(DocumentError) {
        try Self.check(path)
        self.init(checked: path)
    }

    /// The same, not copied.
    package init(parsing bytes: ByteString) throws(DocumentError) {
        try borrowing(bytes) { (bytes) throws(DocumentError) in try Self.check(bytes) }
        self.init(checked: bytes)
    }

    private static func check(_ path: UnsafeRawBufferPointer) throws(DocumentError) {
        try NameParser.checkUTF8(path)
        _ = try NameParser(name: path, kind: .document).segmentCount(from: 0)
    }

    package init(parsing path: some Collection<UInt8>) throws(DocumentError) { try self.init(parsing: Array(path)) }

    package init(parsing bytes: [UInt8]) throws(DocumentError) {
        self = try borrowing(bytes) { (bytes) throws(DocumentError) -> ResourcePath in
            try ResourcePath(parsing: bytes)
        }
    }

    init(checked bytes: UnsafeRawBufferPointer) {
        self.init(checked: ByteString(bytes))
    }

    init(checked bytes: ByteString) {
        self.bytes = bytes
    }

    private static let slash = UInt8(ascii: "/")

    /// Complexity: O(n) in the path's bytes.
    package var segmentCount: Int {
        if self.isRoot { return 0 }
        return self.bytes.withUnsafeBytes { bytes in bytes.reduce(1) { $1 == Self.slash ? $0 &+ 1 : $0 } }
    }

    package var isRoot: Bool { self.bytes.isEmpty }
    package var isCollection: Bool { self.segmentCount % 2 == 1 }
    package var isDocument: Bool { !self.isRoot && self.segmentCount % 2 == 0 }

    /// Where the last segment begins.
    private var lastStart: Int { self.start(ofSegmentBefore: self.bytes.count) }

    private func start(ofSegmentBefore end: Int) -> Int {
        self.bytes.withUnsafeBytes { bytes in
            var start = end
            while start > 0, bytes[start - 1] != Self.slash { start -= 1 }
            return start
        }
    }

    /// The collection id or document id at the end; empty for the root.
    package var lastSegment: BytePart { BytePart(self.bytes, self.lastStart..<self.bytes.count) }

    /// The path without its last segment; nil for the root.
    package var parent: ResourcePath? {
        if self.isRoot { return nil }
        let start = self.lastStart
        return start == 0 ? .root : self.prefix(bytes: start - 1)
    }

    /// The bytes of `parent`, which are not copied; empty for the root.
    package var parentBytes: BytePart { BytePart(self.bytes, 0..<max(self.lastStart - 1, 0)) }

    /// The path's first `count` segments; the path itself when it has no more.
    package func prefix(segments count: Int) -> ResourcePath {
        guard count > 0 else { return .root }
        var left = count
        let end = self.bytes.withUnsafeBytes { bytes in
            bytes.firstIndex { byte in
                if byte == Self.slash { left -= 1 }
                return left == 0
            }
        }
        return end.map(self.prefix(bytes:)) ?? self
    }

    private func prefix(bytes count: Int) -> ResourcePath {
        self.bytes.withUnsafeBytes { ResourcePath(checked: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// The id of the collection that this is or, for a document, that it is in; empty for the root.
    package var collectionID: BytePart {
        guard self.isDocument else { return self.lastSegment }
        let end = self.lastStart - 1
        return BytePart(self.bytes, self.start(ofSegmentBefore: end)..<end)
    }

    /// None of the root. Their bytes are not copied.
    package var segments: [BytePart] {
        guard !self.isRoot else { return [] }
        var segments: [BytePart] = []
        segments.reserveCapacity(8)
        self.bytes.withUnsafeBytes { bytes in
            var start = 0
            for index in bytes.indices where bytes[index] == Self.slash {
                segments.append(BytePart(self.bytes, start..<index))
                start = index + 1
            }
            segments.append(BytePart(self.bytes, start..<bytes.count))
        }
        return segments
    }

    /// Whether this lies below `ancestor`, at any depth. Nothing lies below itself.
    package func isDescendant(of ancestor: ResourcePath) -> Bool {
        if ancestor.isRoot { return !self.isRoot }
        let length = ancestor.bytes.count
        return self.bytes.withUnsafeBytes { own in
            guard own.count > length, own[length] == Self.slash else { return false }
            return ancestor.bytes.withUnsafeBytes { ByteOrder.firstMismatch(own, $0) == length }
        }
    }

    @usableFromInline
    package static func == (left: ResourcePath, right: ResourcePath) -> Bool {
        ByteOrder.equal(left.bytes, right.bytes)
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    package var string: String { self.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

extension ResourcePath: CustomStringConvertible {
    @usableFromInline package var description: String { self.string }
}
