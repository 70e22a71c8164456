import BrasaDocuments

/// A part of a path's bytes as a key. It shares the path's array, so looking something up allocates nothing.
struct ByteSlice: Hashable {
    private let bytes: [UInt8]
    private let start: Int
    private let end: Int

    /// A whole path.
    init(_ path: ResourcePath) {
        self.init(path.bytes, 0, path.bytes.count)
    }

    /// The path of the collection that a document is in.
    init(collectionOf path: ResourcePath) {
        self.init(path.bytes, 0, max(path.lastSegment.startIndex - 1, 0))
    }

    /// The id of the collection that a document is in.
    init(collectionIDOf path: ResourcePath) {
        let id = path.collectionID
        self.init(path.bytes, id.startIndex, id.endIndex)
    }

    init(_ text: UTF8Text) {
        self.init(text.bytes, 0, text.bytes.count)
    }

    private init(_ bytes: [UInt8], _ start: Int, _ end: Int) {
        self.bytes = bytes
        self.start = start
        self.end = end
    }

    static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                left.count == right.count && ByteOrder.firstMismatch(left, right) == left.count
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        self.withBytes { hasher.combine(bytes: $0) }
    }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        self.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[self.start..<self.end])) }
    }
}
