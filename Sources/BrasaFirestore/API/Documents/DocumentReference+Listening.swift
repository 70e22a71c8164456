internal import BrasaSync

extension DocumentReference {
    /// Calls the listener with the document as it is, and again whenever it changes. Dropping the registration does not
    /// end that.
    @discardableResult
    public func addSnapshotListener(
        _ listener: @escaping (DocumentSnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        self.addSnapshotListener(options: SnapshotListenOptions(), listener: listener)
    }

    @discardableResult
    public func addSnapshotListener(
        includeMetadataChanges: Bool,
        listener: @escaping (DocumentSnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        let options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
        return self.addSnapshotListener(options: options, listener: listener)
    }

    @discardableResult
    public func addSnapshotListener(
        options: SnapshotListenOptions,
        listener: @escaping (DocumentSnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        self.listen(options, listener)
    }

    /// A sequence of the document's states; every loop over it listens for itself.
    public var snapshots: DocumentSnapshotsSequence {
        self.snapshots(includeMetadataChanges: false)
    }

    public func snapshots(includeMetadataChanges: Bool) -> DocumentSnapshotsSequence {
        DocumentSnapshotsSequence(self, includeMetadataChanges: includeMetadataChanges)
    }

    public typealias DocumentSnapshotsSequence = SnapshotsSequence<DocumentSnapshot>
}

extension SnapshotsSequence where Element == DocumentSnapshot {
    public init(_ reference: DocumentReference, includeMetadataChanges: Bool) {
        self.init(of: reference, includeMetadataChanges: includeMetadataChanges)
    }
}

extension DocumentReference: Listenable {
    var syncQuery: Result<SyncQuery, SyncError> {
        Result { () throws(UsageError) in SyncQuery(document: try self.resource) }.mapError(\.syncError)
    }

    func snapshot(_ view: ViewSnapshot) -> DocumentSnapshot {
        // There are no views of what is no document.
        let path = try? self.resource
        let document = path.flatMap { view.documents[$0] }
        return DocumentSnapshot(
            reference: self,
            fields: document?.fields,
            metadata: SnapshotMetadata(
                hasPendingWrites: path.map { view.mutatedKeys.contains($0) } ?? false,
                isFromCache: view.isFromCache
            ),
            times: SnapshotTimes(document)
        )
    }
}
