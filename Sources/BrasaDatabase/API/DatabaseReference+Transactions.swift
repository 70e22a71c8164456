internal import BrasaApp
internal import BrasaTree
internal import BrasaTreeSync
internal import Foundation
internal import Synchronization

extension DatabaseReference {
    /// Changes what is here by what it was: the block is run on what is known, which may be nothing, and again on what the
    /// server has, if that is something else, at most 25 times. It runs on the database's own thread, one at a time, and
    /// should not wait for anything.
    ///
    /// A set or an update over the place ends it with an error. When the connection ends while the server has not answered,
    /// nobody knows whether it was carried out: that is an error, too.
    @available(*, noasync, message: "it does not wait: await it in an async function, or pass andCompletionBlock: nil")
    public func runTransactionBlock(_ block: @escaping (MutableData) -> TransactionResult) {
        self.runTransactionBlock(block, andCompletionBlock: nil)
    }

    /// - Parameters:
    ///   - completionBlock: is told of an error, whether anything was written, and what is here then, or what the block was run
    ///     on last where it wanted nothing written. With an error there is no snapshot.
    ///   - localEvents: whether observers of this client see what the server has not confirmed.
    public func runTransactionBlock(
        _ block: @escaping (MutableData) -> TransactionResult,
        andCompletionBlock completionBlock: (((any Error)?, Bool, DataSnapshot?) -> Void)?,
        withLocalEvents localEvents: Bool = true
    ) {
        let handed = Handed(completionBlock)
        let queue = self.database.handlerQueue
        let place = self.place
        self.transact(block, isShown: localEvents) { result in
            queue.async {
                switch (result, handed.value) {
                case (.success(let end), let completion?): completion(nil, end.isCommitted, end.snapshot)
                case (.failure(let fault), let completion?): completion(fault.nsError, false, nil)
                case (.failure(let fault), nil):
                    Database.log.notice("a transaction at /\(place.text) failed: \(fault.message)")
                case (.success, nil): break
                }
            }
        }
    }

    /// Whether anything was written, and what is here then.
    @discardableResult
    nonisolated(nonsending) public func runTransactionBlock(
        _ block: @escaping (MutableData) -> TransactionResult
    ) async throws -> (Bool, DataSnapshot) {
        let waiter = Waiter<Result<(Bool, DataSnapshot), any Error>>()
        self.transact(block, isShown: true) { result in
            waiter.finish(result.map { ($0.isCommitted, $0.snapshot) }.mapError { $0.nsError as any Error })
        }
        return try await waiter.wait()
    }

    private struct End: Sendable {
        let isCommitted: Bool
        let snapshot: DataSnapshot
    }

    private func transact(
        _ block: @escaping (MutableData) -> TransactionResult,
        isShown: Bool,
        _ done: @escaping @Sendable (Result<End, DatabaseFault>) -> Void
    ) {
        let runner = TransactionRunner(block)
        do throws(DatabaseFault) {
            let path = try self.place.writable
            let core = try self.database.core().get()
            core.transact(at: path, isShown: isShown, { runner.run(on: $0) }) { outcome in
                done(self.end(outcome, runner.fault))
            }
        } catch {
            done(.failure(error))
        }
    }

    private func end(_ outcome: TransactionEnd.Outcome, _ fault: DatabaseFault?) -> Result<End, DatabaseFault> {
        switch outcome {
        case .committed(let node): .success(End(isCommitted: true, snapshot: DataSnapshot(self, node)))
        case .aborted(let node):
            fault.map { .failure($0) } ?? .success(End(isCommitted: false, snapshot: DataSnapshot(self, node)))
        case .failed(let status): .failure(DatabaseFault(status: status))
        case .invalid(let error): .failure(DatabaseFault(error))
        }
    }
}

/// A transaction's block, and what was wrong with what it made.
private final class TransactionRunner: Sendable {
    private let block: Handed<(MutableData) -> TransactionResult>
    private let lastFault = Mutex<DatabaseFault?>(nil)

    init(_ block: @escaping (MutableData) -> TransactionResult) {
        self.block = Handed(block)
    }

    var fault: DatabaseFault? { self.lastFault.withLock { $0 } }

    /// Nil when nothing is to be written, or can be.
    func run(on node: TreeNode) -> TreeTemplate? {
        guard let data = self.block.value(MutableData(node)).data else { return nil }
        do throws(DatabaseFault) {
            return try data.result()
        } catch {
            self.lastFault.withLock { $0 = error }
            return nil
        }
    }
}
