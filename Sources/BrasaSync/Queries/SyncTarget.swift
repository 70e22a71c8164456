package import BrasaDocuments
package import BrasaQueries

/// What the server is asked for. A query and its mirror image (the last n of one order, the first n of the other) are one
/// target.
package enum SyncTarget: Hashable, Sendable {
    case document(ResourcePath)
    /// With every clause of the order spelled out.
    case query(StructuredQuery, parent: ResourcePath)
    /// Never sent: pins the documents of a bundle in the cache.
    case bundle(UTF8Text)

    var isDocument: Bool { if case .document = self { true } else { false } }

    /// False where documents of these names are certainly none of it.
    func mayConcern(anyOf paths: some Collection<ResourcePath>) -> Bool {
        switch self {
        case .document(let own): return paths.contains(own)
        case .query(let query, let parent):
            // One that is wrong is for the server to refuse.
            guard let names = try? NameRange(parent: parent, selector: query.from.first) else { return !paths.isEmpty }
            return paths.contains(where: names.isInScope)
        case .bundle: return false
        }
    }
}

/// Identifies a target in the engine: even for what the user listens to, odd for limbo resolution, negative for what is only
/// read; the caches know those of the first kind.
package typealias TargetID = Int64

/// Identifies a target on a stream, for as long as it is listened to.
package typealias WireTargetID = Int32

/// Orders what the least-recently-used collector removes.
package typealias SequenceNumber = Int64

package struct TargetData: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        case listen, existenceFilterMismatch, existenceFilterMismatchBloom, limboResolution
    }

    package let target: SyncTarget
    package let id: TargetID
    package var purpose: Purpose
    package var sequence: SequenceNumber
    /// The state of the server that the cached documents of the target were brought to.
    package var snapshotVersion: Timestamp
    /// The newest version at which the view had no limbo document, so that the remote keys were the result.
    package var lastLimboFreeVersion: Timestamp
    /// Empty when there is none.
    package var resumeToken: [UInt8]

    package init(
        target: SyncTarget,
        id: TargetID,
        purpose: Purpose,
        sequence: SequenceNumber,
        snapshotVersion: Timestamp = .zero,
        lastLimboFreeVersion: Timestamp = .zero,
        resumeToken: [UInt8] = []
    ) {
        self.target = target
        self.id = id
        self.purpose = purpose
        self.sequence = sequence
        self.snapshotVersion = snapshotVersion
        self.lastLimboFreeVersion = lastLimboFreeVersion
        self.resumeToken = resumeToken
    }

    mutating func resume(at version: Timestamp, token: [UInt8]) {
        self.snapshotVersion = version
        self.resumeToken = token
    }
}
