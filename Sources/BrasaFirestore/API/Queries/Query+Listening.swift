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
        self.listen(options, listener)
    }

    /// A sequence of the results' states; every loop over it listens for itself.
    public var snapshots: QuerySnapshotsSequence {
        self.snapshots(includeMetadataChanges: false)
    }

    public func snapshots(includeMetadataChanges: Bool) -> QuerySnapshotsSequence {
        QuerySnapshotsSequence(self, includeMetadataChanges: includeMetadataChanges)
    }

    public typealias QuerySnapshotsSequence = SnapshotsSequence<QuerySnapshot>
}

extension SnapshotsSequence where Element == QuerySnapshot {
    public init(_ query: Query, includeMetadataChanges: Bool) {
        self.init(of: query, includeMetadataChanges: includeMetadataChanges)
    }
}

extension Query: Listenable {
    func snapshot(_ view: ViewSnapshot) -> QuerySnapshot { QuerySnapshot(query: self, view: view) }
}
