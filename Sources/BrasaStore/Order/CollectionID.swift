import BrasaDocuments

/// A collection id as a dictionary's key.
struct CollectionID: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    static func == (left: CollectionID, right: CollectionID) -> Bool { ByteOrder.equal(left.bytes, right.bytes) }

    func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
