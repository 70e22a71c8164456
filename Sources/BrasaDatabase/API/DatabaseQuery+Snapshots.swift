extension DatabaseQuery {
    /// Events without a handler: a loop over it observes, and ends it when it is left.
    ///
    /// ```swift
    /// for try await message in room.queryLimited(toLast: 20).snapshots(of: .childAdded) { show(message) }
    /// ```
    ///
    /// Of `.value` a loop that is slower than the changes sees the newest only. Of children it sees each event; those that it
    /// has not come to wait in memory.
    public final func snapshots(of eventType: DataEventType = .value) -> Snapshots {
        Snapshots(query: self, kind: eventType)
    }

    /// The snapshots of one kind of event. A loop over it ends when the task is cancelled, and by throwing when the server does
    /// not let the place be read (any more). Each loop observes by itself.
    public struct Snapshots: AsyncSequence, Sendable {
        public typealias Element = DataSnapshot
        public typealias Failure = any Error

        let query: DatabaseQuery
        let kind: DataEventType

        public func makeAsyncIterator() -> Iterator {
            Iterator(base: self.query.stream(of: self.kind).makeAsyncIterator())
        }

        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncThrowingStream<DataSnapshot, any Error>.Iterator

            public mutating func next() async throws -> DataSnapshot? {
                try await self.next(isolation: #isolation)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> DataSnapshot? {
                try await self.base.next(isolation: actor)
            }
        }
    }

    private func stream(of kind: DataEventType) -> AsyncThrowingStream<DataSnapshot, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: DataSnapshot.self,
            throwing: (any Error).self,
            bufferingPolicy: kind == .value ? .bufferingNewest(1) : .unbounded
        )
        let handle = self.observe(
            kind,
            delivery: .atOnce,
            { snapshot, _ in continuation.yield(snapshot) },
            { continuation.finish(throwing: $0) }
        )
        continuation.onTermination = { _ in self.removeObserver(withHandle: handle) }
        return stream
    }
}

@available(*, unavailable)
extension DatabaseQuery.Snapshots.Iterator: Sendable {}
