internal import BrasaApp
internal import Dispatch
public import Foundation

#if !canImport(ObjectiveC)
    /// Where a transaction's block puts its error, as on Apple's systems. Valid during the block only.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

extension Firestore {
    /// Threads for blocks that wait for the server: the tasks' threads are few, and others need them.
    private static let blocking = DispatchQueue(label: "BrasaFirestore.transactions", attributes: .concurrent)

    /// Runs a block that reads and then writes, commits its writes together, and gives its value. When something that it
    /// read was changed meanwhile, the block is run again, up to 5 times in all.
    ///
    /// An error that the block leaves in the pointer ends the transaction, and nothing is written.
    @discardableResult
    public func runTransaction(
        _ updateBlock: sending @escaping (Transaction, NSErrorPointer) -> sending Any?
    ) async throws -> sending Any? {
        try await self.runTransaction(with: nil, block: updateBlock)
    }

    @discardableResult
    public func runTransaction(
        with options: TransactionOptions?,
        block updateBlock: sending @escaping (Transaction, NSErrorPointer) -> sending Any?
    ) async throws -> sending Any? {
        let block = Handed(updateBlock)
        return try await self.runBlocking(options) { block.value($0, $1) }.value
    }

    public func runTransaction(
        _ updateBlock: sending @escaping (Transaction, NSErrorPointer) -> Any?,
        completion: @escaping (Any?, (any Error)?) -> Void
    ) {
        self.runTransaction(with: nil, block: updateBlock, completion: completion)
    }

    public func runTransaction(
        with options: TransactionOptions?,
        block updateBlock: sending @escaping (Transaction, NSErrorPointer) -> Any?,
        completion: @escaping (Any?, (any Error)?) -> Void
    ) {
        let core = trapping { () throws(UsageError) in try self.core() }
        let block = Handed(updateBlock)
        let completion = Handed(completion)
        Task {
            let result = await Result { try await self.runBlocking(options) { block.value($0, $1) } }
            core.tell {
                switch result {
                case .success(let value): completion.value(value.value, nil)
                case .failure(let error): completion.value(nil, error)
                }
            }
        }
    }

    /// Runs an asynchronous block in the same way. An error that it throws ends the transaction, and nothing is written.
    public func runTransaction<T>(
        with options: TransactionOptions? = nil,
        _ block: sending @escaping (Transaction) async throws -> sending T
    ) async throws -> sending T {
        let runner = try self.runner(options)
        let block = Handed(block)
        return try await runner.run { Handed(try await block.value($0)) }.value
    }

    private func runner(_ options: TransactionOptions?) throws -> TransactionRunner {
        let core = try throwing { () throws(UsageError) in try self.core() }
        let values = options?.values ?? TransactionOptions.Values()
        let time = try throwing { () throws(UsageError) in try values.readTime?.stored }
        let isReadOnly = values.isReadOnly || time != nil
        return TransactionRunner(
            firestore: self,
            calls: try core.callsOnline(),
            attemptsMax: values.maxAttempts,
            reading: isReadOnly ? TransactionRunner.Reading(time: time) : nil,
            clock: TransactionClock(sleep: core.gate.sleep)
        )
    }

    private func runBlocking(
        _ options: TransactionOptions?,
        _ block: @escaping @Sendable (Transaction, NSErrorPointer) -> Any?
    ) async throws -> Handed<Any?> {
        try await self.runner(options).run { transaction in
            try await withCheckedThrowingContinuation { continuation in
                Self.blocking.async {
                    var error: NSError?
                    let value = block(transaction, &error)
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: Handed(value))
                    }
                }
            }
        }
    }
}

extension Result {
    /// What asynchronous work comes to.
    init(_ body: () async throws(Failure) -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
