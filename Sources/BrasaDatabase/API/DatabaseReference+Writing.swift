internal import BrasaApp
internal import BrasaTree
internal import BrasaTreeLink
internal import Foundation

// The forms without a handler are not for asynchronous code, where they would be taken for those that wait: in the top-level
// code of a `main.swift` the compiler prefers them, whatever `await` says.

/// Is told why something was not done, if it was not, once the server has answered.
public typealias WriteCompletion = ((any Error)?, DatabaseReference) -> Void

extension DatabaseReference {
    /// Replaces all that is here, and drops its priority; nil removes it. Strings, numbers, booleans, arrays, dictionaries with
    /// string keys, `NSNull` and ``ServerValue``s can be stored. It shows here at once, and is taken back if the server refuses it.
    public func setValue(_ value: Any?, withCompletionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in try reference.set(value) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func setValue(_ value: Any?) { self.setValue(value, withCompletionBlock: nil) }

    @discardableResult
    nonisolated(nonsending) public func setValue(_ value: Any?) async throws -> DatabaseReference {
        try await self.perform { reference throws(DatabaseFault) in try reference.set(value) }
    }

    /// The same with a priority: a string or number, or nil for none.
    public func setValue(_ value: Any?, andPriority priority: Any?, withCompletionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in try reference.set(value, priority: .some(priority)) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func setValue(_ value: Any?, andPriority priority: Any?) {
        self.setValue(value, andPriority: priority, withCompletionBlock: nil)
    }

    @discardableResult
    nonisolated(nonsending) public func setValue(_ value: Any?, andPriority priority: Any?) async throws
        -> DatabaseReference
    {
        try await self.perform { reference throws(DatabaseFault) in try reference.set(value, priority: .some(priority))
        }
    }

    /// Removes all that is here. That nothing is here is no error.
    public func removeValue(completionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in try reference.set(nil) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass completionBlock: nil")
    public func removeValue() { self.removeValue(completionBlock: nil) }

    @discardableResult
    nonisolated(nonsending) public func removeValue() async throws -> DatabaseReference {
        try await self.perform { reference throws(DatabaseFault) in try reference.set(nil) }
    }

    /// Changes the priority of what is here; nil removes it. Where nothing is, it is an error.
    public func setPriority(_ priority: Any?, withCompletionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in try reference.setPriority(priority) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func setPriority(_ priority: Any?) { self.setPriority(priority, withCompletionBlock: nil) }

    @discardableResult
    nonisolated(nonsending) public func setPriority(_ priority: Any?) async throws -> DatabaseReference {
        try await self.perform { reference throws(DatabaseFault) in try reference.setPriority(priority) }
    }

    /// Replaces what is at some paths below, all or none; what is not named stays. `NSNull` removes.
    public func updateChildValues(_ values: [AnyHashable: Any], withCompletionBlock block: WriteCompletion?) {
        self.perform(block) { reference throws(DatabaseFault) in try reference.update(values) }
    }

    @available(*, noasync, message: "it does not wait: await it in an async function, or pass withCompletionBlock: nil")
    public func updateChildValues(_ values: [AnyHashable: Any]) {
        self.updateChildValues(values, withCompletionBlock: nil)
    }

    @discardableResult
    nonisolated(nonsending) public func updateChildValues(_ values: [AnyHashable: Any]) async throws
        -> DatabaseReference
    {
        try await self.perform { reference throws(DatabaseFault) in try reference.update(values) }
    }
}

extension DatabaseReference {
    private func perform(
        _ block: WriteCompletion?,
        _ read: (DatabaseReference) throws(DatabaseFault) -> TreeWrite
    ) {
        let told = self.teller(block)
        do throws(DatabaseFault) {
            let write = try read(self)
            try self.database.core().get().write(write, told)
        } catch {
            told(error)
        }
    }

    nonisolated(nonsending) private func perform(
        _ read: (DatabaseReference) throws(DatabaseFault) -> TreeWrite
    ) async throws -> DatabaseReference {
        let waiter = Waiter<Result<DatabaseReference, any Error>>()
        do throws(DatabaseFault) {
            let write = try read(self)
            try self.database.core().get().write(write) { waiter.finish(self, $0) }
        } catch {
            throw error.nsError
        }
        return try await waiter.wait()
    }

    /// Tells a handler on the users' queue. Without one a failure is only logged.
    func teller(_ block: WriteCompletion?) -> @Sendable (DatabaseFault?) -> Void {
        let handed = Handed(block)
        let queue = self.database.handlerQueue
        return { fault in
            queue.async {
                if let block = handed.value {
                    block(fault?.nsError, self)
                } else if let fault {
                    Database.log.notice("a write at /\(self.place.text) failed: \(fault.message)")
                }
            }
        }
    }

    // MARK: What is asked for

    func set(_ value: Any?, priority: Any?? = nil) throws(DatabaseFault) -> TreeWrite {
        let path = try self.place.writable
        let template = try ValueReader.template(value, priority: priority, at: path)
        return try TreeError.faulting { () throws(TreeError) in try TreeWrite.set(template, at: TreeLocation(path)) }
    }

    private func setPriority(_ priority: Any?) throws(DatabaseFault) -> TreeWrite {
        let path = try self.place.writable
        let template = try ValueReader.template(priority, at: path)
        return try TreeError.faulting { () throws(TreeError) in
            try TreeWrite.set(template, at: TreeLocation(path, isPriority: true))
        }
    }

    func update(_ values: [AnyHashable: Any]) throws(DatabaseFault) -> TreeWrite {
        let path = try self.place.writable
        var entries: [UpdateReader.Entry] = []
        for (key, value) in values {
            guard let key = key.base as? String, !key.isEmpty else {
                throw DatabaseFault("The keys of an update are paths.")
            }
            let location = try TreeError.faulting { () throws(TreeError) in try TreeLocation(key) }
            let below = path.appending(location.path)
            entries.append((location: location, template: try ValueReader.template(value, at: below)))
        }
        return try TreeError.faulting { () throws(TreeError) in try TreeWrite.update(entries, at: path) }
    }
}

extension Waiter<Result<DatabaseReference, any Error>> {
    func finish(_ reference: DatabaseReference, _ fault: DatabaseFault?) {
        if let fault {
            self.finish(.failure(fault.nsError))
        } else {
            self.finish(.success(reference))
        }
    }
}
