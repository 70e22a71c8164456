internal import BrasaDocuments

/// What happened to one document between two states of a view.
package struct DocumentChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case removed, added, modified
        /// Only whether writes are pending has changed.
        case metadata
    }

    package let kind: Kind
    /// Of a removed document the last state that was in the view.
    package let document: SyncDocument

    package init(_ kind: Kind, _ document: SyncDocument) {
        self.kind = kind
        self.document = document
    }
}

/// One change for each document, however often it changes.
struct DocumentChangeSet {
    private(set) var changes: [ResourcePath: DocumentChange] = [:]

    var isEmpty: Bool { self.changes.isEmpty }

    mutating func track(_ change: DocumentChange) {
        let path = change.document.path
        guard let earlier = self.changes[path] else {
            self.changes[path] = change
            return
        }
        self.changes[path] = Self.merged(earlier, change)
    }

    private static func merged(_ earlier: DocumentChange, _ new: DocumentChange) -> DocumentChange? {
        switch (earlier.kind, new.kind) {
        case (.added, .removed): nil
        case (.modified, .removed), (.metadata, .removed): DocumentChange(.removed, earlier.document)
        case (.removed, .added): DocumentChange(.modified, new.document)
        case (.added, _): DocumentChange(.added, new.document)
        case (.modified, .metadata), (.modified, .modified): DocumentChange(.modified, new.document)
        // What is left leaves the newer kind: a metadata change under a modification, for one.
        default: new
        }
    }
}
