internal import BrasaApp
internal import BrasaTree
internal import BrasaTreeLink
internal import Foundation

// What the server is to do when this client's connection ends, cleanly or not. It is done once: a program that connects again
// asks again. The handler is told when the server has noted it.

extension DatabaseReference {
    /// Replaces all that is here when the connection ends.
    public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in .write(try reference.set(value)) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func onDisconnectSetValue(_ value: Any?) { self.onDisconnectSetValue(value, withCompletionBlock: nil) }

    @discardableResult
    nonisolated(nonsending) public func onDisconnectSetValue(_ value: Any?) async throws -> DatabaseReference {
        try await self.perform { reference throws(DatabaseFault) in .write(try reference.set(value)) }
    }

    /// The same with a priority.
    public func onDisconnectSetValue(
        _ value: Any?,
        andPriority priority: Any?,
        withCompletionBlock block: WriteCompletion?
    ) {
        self.perform(block) { reference throws(DatabaseFault) in
            .write(try reference.set(value, priority: .some(priority)))
        }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) {
        self.onDisconnectSetValue(value, andPriority: priority, withCompletionBlock: nil)
    }

    @discardableResult
    nonisolated(nonsending) public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) async throws
        -> DatabaseReference
    {
        try await self.perform { reference throws(DatabaseFault) in
            .write(try reference.set(value, priority: .some(priority)))
        }
    }

    /// Removes all that is here when the connection ends.
    public func onDisconnectRemoveValue(completionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in .write(try reference.set(nil)) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completionBlock: nil")
    public func onDisconnectRemoveValue() { self.onDisconnectRemoveValue(completionBlock: nil) }

    @discardableResult
    nonisolated(nonsending) public func onDisconnectRemoveValue() async throws -> DatabaseReference {
        try await self.perform { reference throws(DatabaseFault) in .write(try reference.set(nil)) }
    }

    /// Replaces what is at some paths below when the connection ends.
    public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any], withCompletionBlock block: WriteCompletion?)
    {
        self.perform(block) { reference throws(DatabaseFault) in .write(try reference.update(values)) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) {
        self.onDisconnectUpdateChildValues(values, withCompletionBlock: nil)
    }

    @discardableResult
    nonisolated(nonsending) public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) async throws
        -> DatabaseReference
    {
        try await self.perform { reference throws(DatabaseFault) in .write(try reference.update(values)) }
    }

    /// Drops all that was asked for here and below: nothing of it is done.
    public func cancelDisconnectOperations(completionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in .cancel(try reference.place.writable) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completionBlock: nil")
    public func cancelDisconnectOperations() { self.cancelDisconnectOperations(completionBlock: nil) }

    @discardableResult
    nonisolated(nonsending) public func cancelDisconnectOperations() async throws -> DatabaseReference {
        try await self.perform { reference throws(DatabaseFault) in .cancel(try reference.place.writable) }
    }
}

extension DatabaseReference {
    private func perform(
        _ block: WriteCompletion?,
        _ read: (DatabaseReference) throws(DatabaseFault) -> DisconnectRequest
    ) {
        let told = self.teller(block)
        do throws(DatabaseFault) {
            let request = try read(self)
            try self.database.core().get().onDisconnect(request, told)
        } catch {
            told(error)
        }
    }

    nonisolated(nonsending) private func perform(
        _ read: (DatabaseReference) throws(DatabaseFault) -> DisconnectRequest
    ) async throws -> DatabaseReference {
        let waiter = Waiter<Result<DatabaseReference, any Error>>()
        do throws(DatabaseFault) {
            let request = try read(self)
            try self.database.core().get().onDisconnect(request) { waiter.finish(self, $0) }
        } catch {
            throw error.nsError
        }
        return try await waiter.wait()
    }
}
