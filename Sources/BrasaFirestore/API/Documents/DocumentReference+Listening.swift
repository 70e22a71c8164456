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
        let core = trapping { () throws(UsageError) in try self.firestore.core() }
        let closure = ClosureListener(queue: core.queue) { event in
            switch event {
            case .success(let view): listener(self.snapshot(view), nil)
            case .failure(let error): listener(nil, error.nsError)
            }
        }
        return core.listen(self.syncQuery, options, post: { closure.post($0) }, removed: { closure.remove() })
    }

    /// A sequence of the document's states; every loop over it listens for itself.
    public var snapshots: DocumentSnapshotsSequence {
        self.snapshots(includeMetadataChanges: false)
    }

    public func snapshots(includeMetadataChanges: Bool) -> DocumentSnapshotsSequence {
        DocumentSnapshotsSequence(self, includeMetadataChanges: includeMetadataChanges)
    }

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

    /// The states of a document, the one at the begin first. A loop over it ends when the task is cancelled, and by
    /// throwing when listening fails.
    public struct DocumentSnapshotsSequence: AsyncSequence, Sendable {
        public typealias Element = DocumentSnapshot
        public typealias Failure = any Error

        private let reference: DocumentReference
        private let options: SnapshotListenOptions

        public init(_ reference: DocumentReference, includeMetadataChanges: Bool) {
            self.reference = reference
            self.options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                reference: self.reference,
                subscription: SnapshotSubscription(self.reference.firestore, self.reference.syncQuery, self.options)
            )
        }

        public struct Iterator: AsyncIteratorProtocol {
            let reference: DocumentReference
            let subscription: SnapshotSubscription

            public mutating func next() async throws -> DocumentSnapshot? {
                try await self.subscription.next().map { self.reference.snapshot($0) }
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> DocumentSnapshot? {
                try await self.subscription.next().map { self.reference.snapshot($0) }
            }
        }
    }
}

@available(*, unavailable)
extension DocumentReference.DocumentSnapshotsSequence.Iterator: Sendable {}
