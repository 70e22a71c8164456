internal import BrasaSync

/// The states of what is listened to, the one at the begin first. A loop over it ends when the task is cancelled, and by
/// throwing when listening fails.
public struct SnapshotsSequence<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = any Error

    private let subscribe: @Sendable () -> SnapshotSubscription
    private let snapshot: @Sendable (ViewSnapshot) -> Element

    init<Source: Listenable>(of source: Source, includeMetadataChanges: Bool) where Source.Snapshot == Element {
        let options = SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges)
        self.subscribe = { SnapshotSubscription(source.firestore, source.syncQuery, options) }
        self.snapshot = { source.snapshot($0) }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: self.subscribe(), snapshot: self.snapshot)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let subscription: SnapshotSubscription
        let snapshot: @Sendable (ViewSnapshot) -> Element

        public mutating func next() async throws -> Element? {
            try await self.subscription.next().map(self.snapshot)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await self.subscription.next().map(self.snapshot)
        }
    }
}

@available(*, unavailable)
extension SnapshotsSequence.Iterator: Sendable {}
