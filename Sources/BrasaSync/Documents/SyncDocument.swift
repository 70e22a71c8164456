package import BrasaDocuments

/// A document as the client knows it.
package struct SyncDocument: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Nothing is known. Never stored.
        case invalid
        case found(EncodedFields)
        /// Known not to exist at `version`.
        case missing
        /// Known to exist at `version`, with fields that we have not seen.
        case unknown
    }

    package enum State: Hashable, Sendable {
        case synced
        /// With writes that the server has not acknowledged; the version is zero.
        case localMutations
        /// With acknowledged writes that no watch event has confirmed; the version is the acknowledgement's.
        case committedMutations
    }

    package let path: ResourcePath
    package private(set) var kind: Kind
    package private(set) var version: Timestamp
    package private(set) var state: State
    /// The time of the event that brought it; never zero in the cache.
    package var readTime: Timestamp
    /// Nil where that is not known: of what writes here have made of the document, and of what a cache on disk has kept.
    package private(set) var createTime: Timestamp?

    package init(
        path: ResourcePath,
        kind: Kind,
        version: Timestamp,
        state: State = .synced,
        readTime: Timestamp = .zero,
        createTime: Timestamp? = nil
    ) {
        self.path = path
        self.kind = kind
        self.version = version
        self.state = state
        self.readTime = readTime
        self.createTime = createTime
    }

    package static func invalid(_ path: ResourcePath) -> SyncDocument {
        SyncDocument(path: path, kind: .invalid, version: .zero)
    }

    package static func found(
        _ path: ResourcePath,
        _ fields: EncodedFields,
        version: Timestamp,
        createTime: Timestamp? = nil
    ) -> SyncDocument {
        SyncDocument(path: path, kind: .found(fields), version: version, createTime: createTime)
    }

    package static func missing(_ path: ResourcePath, version: Timestamp) -> SyncDocument {
        SyncDocument(path: path, kind: .missing, version: version)
    }

    /// Times and mutations aside, does the document exist?
    package var isFound: Bool { if case .found = self.kind { true } else { false } }
    package var isValid: Bool { self.kind != .invalid }
    package var hasLocalMutations: Bool { self.state == .localMutations }
    package var hasCommittedMutations: Bool { self.state == .committedMutations }
    package var hasPendingWrites: Bool { self.state != .synced }

    /// Empty for a document that does not exist.
    package var fields: EncodedFields { if case .found(let fields) = self.kind { fields } else { .empty } }

    /// Takes a new content by a write that the server does not know yet.
    mutating func changeLocally(to kind: Kind) {
        self.kind = kind
        self.version = .zero
        self.createTime = nil
        self.state = .localMutations
    }

    /// Takes a new content by an acknowledged write.
    mutating func commit(_ kind: Kind, version: Timestamp) {
        self.kind = kind
        self.version = version
        self.createTime = nil
        self.state = .committedMutations
    }

    /// For a document that no write and no server gave any content: it does not exist, as far as we know.
    mutating func assumeMissing() {
        self = .missing(self.path, version: .zero)
    }

    package static func == (left: SyncDocument, right: SyncDocument) -> Bool {
        left.path == right.path && left.version == right.version && left.state == right.state
            && left.kind == right.kind
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.path)
        hasher.combine(self.version)
    }
}

extension Timestamp {
    /// Before every time that the server gives: "none" as a version.
    package static let zero = Timestamp(microseconds: 0)
}

typealias DocumentMap = [ResourcePath: SyncDocument]
