internal import BrasaDocuments
internal import BrasaSync

/// When a document was created and last changed, and when that was read, as far as it is known.
struct SnapshotTimes: Sendable {
    var create: BrasaDocuments.Timestamp?
    var update: BrasaDocuments.Timestamp?
    var read: BrasaDocuments.Timestamp?

    static let unknown = SnapshotTimes()

    init() {}

    init(_ stored: StoredDocument) {
        self.create = stored.createTime
        if case .at(let time) = stored.version { self.update = time }
        self.read = stored.readTime
    }

    init(_ document: Document, readTime: BrasaDocuments.Timestamp?) {
        self.create = document.createTime
        self.update = document.updateTime
        self.read = readTime
    }

    /// Of what the engine gives. `readTime` is nil unless the server was asked for it.
    init(_ document: SyncDocument?, readTime: BrasaDocuments.Timestamp? = nil) {
        self.read = readTime
        // With a write in it that is not acknowledged it has none yet.
        guard let document, document.isFound, !document.hasLocalMutations else { return }
        self.update = document.version
        self.create = document.createTime
    }
}

extension DocumentSnapshot {
    /// What the server has said past cache and queued writes.
    convenience init(_ reference: DocumentReference, _ stored: StoredDocument) {
        self.init(
            reference: reference,
            fields: stored.fields,
            metadata: .ofServer,
            times: SnapshotTimes(stored)
        )
    }
}

extension QueryDocumentSnapshot {
    convenience init(
        _ firestore: Firestore,
        _ path: ResourcePath,
        _ document: Document,
        readTime: BrasaDocuments.Timestamp?
    ) {
        self.init(
            reference: DocumentReference(firestore: firestore, path: path),
            fields: document.fields,
            metadata: .ofServer,
            times: SnapshotTimes(document, readTime: readTime)
        )
    }
}

extension SnapshotMetadata {
    static let ofServer = SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
}
