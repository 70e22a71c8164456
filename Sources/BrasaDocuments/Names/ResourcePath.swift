/// What follows `documents/` in a name: collection id, document id, collection id, … Empty for the root. Its ids are
/// valid, and it is at most `Limits.nameBytesMax` long.
///
/// Every document in memory has one, so it is an array reference and nothing else: how many segments it has is counted when
/// somebody asks, which takes less than a look at memory elsewhere would.
@usableFromInline
package struct ResourcePath: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let root = ResourcePath(checked: [])

    /// A path by itself, without the database before it: from the log, from a page token, in tests.
    package init(parsing path: UnsafeRawBufferPointer) throws(DocumentError) {
        try NameParser.checkUTF8(path)
        _ = try NameParser(name: path, kind: .document).segmentCount(from: 0)
        self.init(checked: Array(path))
    }

    package init(parsing path: some Collection<UInt8>) throws(DocumentError) { try self.init(parsing: Array(path)) }

    package init(parsing bytes: [UInt8]) throws(DocumentError) {
        try NameParser.checkUTF8(bytes)
        _ = try borrowing(bytes) { (bytes) throws(DocumentError) -> Int in
            try NameParser(name: bytes, kind: .document).segmentCount(from: 0)
        }
        self.init(checked: bytes)
    }

    init(checked bytes: [UInt8]) {
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
    private var lastStart: Int { self.bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0 }

    /// The collection id or document id at the end; empty for the root.
    package var lastSegment: ArraySlice<UInt8> { self.bytes[self.lastStart...] }

    /// The path without its last segment; nil for the root.
    package var parent: ResourcePath? {
        if self.isRoot { return nil }
        guard let slash = self.bytes.lastIndex(of: Self.slash) else { return .root }
        return ResourcePath(checked: Array(self.bytes[..<slash]))
    }

    /// The path's first `count` segments; the path itself when it has no more.
    package func prefix(segments count: Int) -> ResourcePath {
        guard count > 0 else { return .root }
        var left = count
        let end = self.bytes.firstIndex { byte in
            if byte == Self.slash { left -= 1 }
            return left == 0
        }
        return end.map { ResourcePath(checked: Array(self.bytes[..<$0])) } ?? self
    }

    /// The id of the collection that this is or, for a document, that it is in; empty for the root.
    package var collectionID: ArraySlice<UInt8> {
        guard self.isDocument else { return self.lastSegment }
        let end = self.lastStart - 1
        let slash = self.bytes[..<end].lastIndex(of: Self.slash)
        return self.bytes[(slash.map { $0 + 1 } ?? 0)..<end]
    }

    package var segments: [ArraySlice<UInt8>] {
        self.isRoot ? [] : self.bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
    }

    /// Whether this lies below `ancestor`, at any depth. Nothing lies below itself.
    package func isDescendant(of ancestor: ResourcePath) -> Bool {
        if ancestor.isRoot { return !self.isRoot }
        let length = ancestor.bytes.count
        guard self.bytes.count > length, self.bytes[length] == Self.slash else { return false }
        return self.bytes.withUnsafeBytes { own in
            ancestor.bytes.withUnsafeBytes { ByteOrder.firstMismatch(own, $0) == length }
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

    package var string: String { String(decoding: self.bytes, as: UTF8.self) }
}

extension ResourcePath: CustomStringConvertible {
    @usableFromInline package var description: String { self.string }
}
