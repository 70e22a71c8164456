/// What follows `documents/` in a name: collection id, document id, collection id, … Empty for the root. Its ids are
/// valid, and it is at most `Limits.nameBytesMax` long.
///
/// Every document in memory has one, so it is an array reference and four bytes.
@usableFromInline
package struct ResourcePath: Hashable, Sendable {
    package let bytes: [UInt8]
    private let count: UInt16
    private let lastStart: UInt16

    package static let root = ResourcePath(bytes: [], shape: Shape(segmentCount: 0, lastStart: 0))

    /// A path by itself, without the database before it: from the log, from a page token, in tests.
    package init(parsing path: UnsafeRawBufferPointer) throws(DocumentError) {
        try NameParser.checkUTF8(path)
        let shape = try NameParser(name: path, kind: .document).path(from: 0)
        self.init(bytes: Array(path), shape: shape)
    }

    package init(parsing path: some Collection<UInt8>) throws(DocumentError) { try self.init(parsing: Array(path)) }

    package init(parsing bytes: [UInt8]) throws(DocumentError) {
        try NameParser.checkUTF8(bytes)
        let shape = try borrowing(bytes) { (bytes) throws(DocumentError) -> Shape in
            try NameParser(name: bytes, kind: .document).path(from: 0)
        }
        self.init(bytes: bytes, shape: shape)
    }

    init(bytes: [UInt8], shape: Shape) {
        self.bytes = bytes
        self.count = shape.segmentCount
        self.lastStart = shape.lastStart
    }

    /// What a scan of a path's bytes finds out. `Limits.nameBytesMax` keeps both numbers small.
    struct Shape {
        var segmentCount: UInt16
        var lastStart: UInt16
    }

    package var segmentCount: Int { Int(self.count) }
    package var isRoot: Bool { self.count == 0 }
    package var isCollection: Bool { self.count % 2 == 1 }
    package var isDocument: Bool { self.count % 2 == 0 && self.count != 0 }

    /// The collection id or document id at the end; empty for the root.
    package var lastSegment: ArraySlice<UInt8> { self.bytes[Int(self.lastStart)...] }

    /// The path without its last segment; nil for the root.
    package var parent: ResourcePath? {
        switch self.count {
        case 0: return nil
        case 1: return .root
        default:
            let bytes = Array(self.bytes[..<(Int(self.lastStart) - 1)])
            let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
            let lastStart = slash.map { UInt16($0 + 1) } ?? 0
            return ResourcePath(bytes: bytes, shape: Shape(segmentCount: self.count - 1, lastStart: lastStart))
        }
    }

    /// The path's first `count` segments; the path itself when it has no more.
    package func prefix(segments count: Int) -> ResourcePath {
        var path = self
        while path.segmentCount > count, let parent = path.parent { path = parent }
        return path
    }

    /// The id of the collection that this is or, for a document, that it is in; empty for the root.
    package var collectionID: ArraySlice<UInt8> {
        guard self.isDocument else { return self.lastSegment }
        let end = Int(self.lastStart) - 1
        let slash = self.bytes[..<end].lastIndex(of: UInt8(ascii: "/"))
        return self.bytes[(slash.map { $0 + 1 } ?? 0)..<end]
    }

    package var segments: [ArraySlice<UInt8>] {
        self.isRoot ? [] : self.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// Whether this lies below `ancestor`, at any depth. Nothing lies below itself.
    package func isDescendant(of ancestor: ResourcePath) -> Bool {
        guard self.count > ancestor.count else { return false }
        if ancestor.isRoot { return true }
        let length = ancestor.bytes.count
        guard self.bytes.count > length, self.bytes[length] == UInt8(ascii: "/") else { return false }
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
