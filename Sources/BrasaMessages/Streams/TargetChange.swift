package import BrasaDocuments

/// What became of targets. One without ids is about all targets of the stream.
package struct TargetChange: Hashable, Sendable {
    package var kind: Kind
    package var targetIDs: [Int32]
    /// Why targets were removed that nobody asked to remove.
    package var cause: Status?
    /// Empty for none.
    package var resumeToken: [UInt8]
    package var readTime: Timestamp?

    package enum Kind: Int32, Hashable, Sendable {
        case noChange = 0
        case add = 1
        case remove = 2
        case current = 3
        case reset = 4
    }

    package init(
        _ kind: Kind,
        _ targetIDs: [Int32] = [],
        cause: Status? = nil,
        resumeToken: [UInt8] = [],
        readTime: Timestamp? = nil
    ) {
        self.kind = kind
        self.targetIDs = targetIDs
        self.cause = cause
        self.resumeToken = resumeToken
        self.readTime = readTime
    }
}

/// How many documents match a target, and perhaps which.
package struct ExistenceFilter: Hashable, Sendable {
    package var targetID: Int32
    package var count: Int32
    /// Over the full names of the documents that match and did not change.
    package var unchangedNames: BloomFilterMessage?

    package init(targetID: Int32, count: Int32, unchangedNames: BloomFilterMessage? = nil) {
        self.targetID = targetID
        self.count = count
        self.unchangedNames = unchangedNames
    }
}

/// The bits of a bloom filter as they travel. Unchecked: what a client makes of them is its business.
package struct BloomFilterMessage: Hashable, Sendable {
    package var bitmap: [UInt8]
    /// Bits of the last byte that do not count.
    package var padding: Int32
    package var hashCount: Int32

    package init(bitmap: [UInt8], padding: Int32, hashCount: Int32) {
        self.bitmap = bitmap
        self.padding = padding
        self.hashCount = hashCount
    }
}
