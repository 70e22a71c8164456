internal import BrasaSync

extension Query {
    /// Calls the listener with the results as they are, and again whenever they change. Dropping the registration does not
    /// end that.
    @discardableResult
    public func addSnapshotListener(
        _ listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        self.addSnapshotListener(options: SnapshotListenOptions(), listener: listener)
    }

    @discardableResult
    public func addSnapshotListener(
        includeMetadataChanges: Bool,
        listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        let options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
        return self.addSnapshotListener(options: options, listener: listener)
    }

    @discardableResult
    public func addSnapshotListener(
        options: SnapshotListenOptions,
        listener: @escaping (QuerySnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        let core = trapping { () throws(UsageError) in try self.firestore.core() }
        let closure = ClosureListener(queue: core.queue) { event in
            switch event {
            case .success(let view): listener(QuerySnapshot(query: self, view: view), nil)
            case .failure(let error): listener(nil, error.nsError)
            }
        }
        return core.listen(self.syncQuery, options, post: { closure.post($0) }, removed: { closure.remove() })
    }

    /// A sequence of the results' states; every loop over it listens for itself.
    public var snapshots: QuerySnapshotsSequence {
        self.snapshots(includeMetadataChanges: false)
    }

    public func snapshots(includeMetadataChanges: Bool) -> QuerySnapshotsSequence {
        QuerySnapshotsSequence(self, includeMetadataChanges: includeMetadataChanges)
    }

    /// The states of a query's results, the one at the begin first. A loop over it ends when the task is cancelled, and by
    /// throwing when listening fails.
    public struct QuerySnapshotsSequence: AsyncSequence, Sendable {
        public typealias Element = QuerySnapshot
        public typealias Failure = any Error

        private let query: Query
        private let options: SnapshotListenOptions

        public init(_ query: Query, includeMetadataChanges: Bool) {
            self.query = query
            self.options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                query: self.query,
                subscription: SnapshotSubscription(self.query.firestore, self.query.syncQuery, self.options)
            )
        }

        public struct Iterator: AsyncIteratorProtocol {
            let query: Query
            let subscription: SnapshotSubscription

            public mutating func next() async throws -> QuerySnapshot? {
                try await self.subscription.next().map { QuerySnapshot(query: self.query, view: $0) }
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> QuerySnapshot? {
                try await self.subscription.next().map { QuerySnapshot(query: self.query, view: $0) }
            }
        }
    }
}

@available(*, unavailable)
extension Query.QuerySnapshotsSequence.Iterator: Sendable {}
