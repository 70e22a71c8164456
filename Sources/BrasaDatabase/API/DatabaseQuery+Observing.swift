internal import BrasaApp
internal import BrasaTree
internal import Foundation

extension DatabaseQuery {
    /// Calls the block with what there is, and after each change, on the database's queue. What is known is told at once,
    /// writes that the server has not answered included. Of values a handler that is slower than the changes is told some and
    /// the newest, of children each event.
    /// - Parameter cancelBlock: is called once when the server does not let this be read (any more). Without one that is
    ///   only logged.
    @discardableResult
    public final func observe(
        _ eventType: DataEventType,
        with block: @escaping (DataSnapshot) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) -> DatabaseHandle {
        self.observe(eventType, { snapshot, _ in block(snapshot) }, cancelBlock)
    }

    /// The same with the key of the child before, in the query's order; nil for the first, and for removed children and
    /// values.
    @discardableResult
    public final func observe(
        _ eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping (DataSnapshot, String?) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) -> DatabaseHandle {
        self.observe(eventType, block, cancelBlock)
    }

    /// Calls the block once, with the first event. What is known may be older than what the server has: `getData` asks it.
    public final func observeSingleEvent(
        of eventType: DataEventType,
        with block: @escaping (DataSnapshot) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) {
        _ = self.observe(eventType, isSingle: true, { snapshot, _ in block(snapshot) }, cancelBlock)
    }

    public final func observeSingleEvent(
        of eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping (DataSnapshot, String?) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) {
        _ = self.observe(eventType, isSingle: true, block, cancelBlock)
    }

    /// The first event, and the key of the child before it. Unlike Apple's, it throws when the server does not let it be
    /// read, and when the task is cancelled.
    nonisolated(nonsending) public final func observeSingleEventAndPreviousSiblingKey(
        of eventType: DataEventType
    ) async throws -> (DataSnapshot, String?) {
        let waiter = Waiter<Result<(DataSnapshot, String?), any Error>>()
        let handle = self.observe(
            eventType,
            isSingle: true,
            delivery: .atOnce,
            { waiter.finish(.success(($0, $1))) },
            { waiter.finish(.failure($0)) }
        )
        defer { self.removeObserver(withHandle: handle) }
        return try await waiter.wait()
    }

    final func observe(
        _ kind: DataEventType,
        isSingle: Bool = false,
        delivery: Observer.Delivery = .onQueue,
        _ block: @escaping Observer.Tell,
        _ cancel: Observer.Cancel?
    ) -> DatabaseHandle {
        let observer = Observer(of: self, kind, isSingle: isSingle, delivery: delivery, block, cancel: cancel)
        do throws(DatabaseFault) {
            let (source, path) = try self.place.readable
            let query = try self.definition.query()
            let core = try self.database.core().get()
            self.database.remember(observer)
            core.observe(query, at: path, of: source, observer)
        } catch {
            observer.deliver(error, on: self.database.handlerQueue)
        }
        return observer.handle
    }

    /// Ends one observer, which is told nothing from then on. On a reference, also one of its queries; a handle of another
    /// place does nothing.
    public final func removeObserver(withHandle handle: DatabaseHandle) {
        let observer = self.database.takeObserver(handle) { self.covers($0.query) }
        if let observer { self.end(observer) }
    }

    /// Ends the observers of this query; on a reference, those of all queries of the place. Those of children stay.
    public final func removeAllObservers() {
        for observer in self.database.takeObservers(where: { self.covers($0.query) }) { self.end(observer) }
    }

    private func covers(_ other: DatabaseQuery) -> Bool {
        self.place == other.place && (self.definition.isEverything || self.definition == other.definition)
    }

    private func end(_ observer: Observer) {
        observer.remove()
        if case .success(let core) = self.database.core() { core.remove(observer) }
    }

    /// Listens without an observer, so that what the query shows is at hand, or does so no longer.
    public final func keepSynced(_ keepSynced: Bool) {
        do throws(DatabaseFault) {
            let path = try self.place.writable
            let query = try self.definition.query()
            try self.database.core().get().keepSynced(keepSynced, query, at: path)
        } catch {
            Database.log.notice("/\(self.place.text) is not kept in sync: \(error.message)")
        }
    }
}
