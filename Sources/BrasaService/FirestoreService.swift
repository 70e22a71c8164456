package import BrasaGRPC
package import BrasaPlatform
package import BrasaStore
package import BrasaTransactions
package import BrasaWatch
import BrasaWire
package import NIOCore

/// Answers the methods of `google.firestore.v1.Firestore` on one event loop: decodes, asks the engine, encodes. One
/// instance per loop, so that every completion comes back to the call's own loop.
package final class FirestoreService: Sendable {
    let store: Store
    let transactions: TransactionManager
    let mailbox: any Mailbox
    let eventLoop: any EventLoop
    let entropy: Entropy
    /// Of the same loop.
    package let watcher: Watcher
    /// Of all loops.
    let writeStreams: WriteStreamTable

    package init(
        store: Store,
        transactions: TransactionManager,
        mailbox: any Mailbox,
        eventLoop: any EventLoop,
        entropy: Entropy,
        watcher: Watcher,
        writeStreams: WriteStreamTable
    ) {
        self.store = store
        self.transactions = transactions
        self.mailbox = mailbox
        self.eventLoop = eventLoop
        self.entropy = entropy
        self.watcher = watcher
        self.writeStreams = writeStreams
    }

    /// Every method of the protocol: those that are not built yet answer UNIMPLEMENTED like unknown ones do.
    package func register(in methods: inout GRPCMethodTable) {
        let (names, masks) = (RequestLimits.names, RequestLimits.masks)
        methods.register(FirestoreMethods.getDocument, messageBytesMax: masks, .unary { self.getDocument($0, $1) })
        methods.register(FirestoreMethods.listDocuments, messageBytesMax: masks, .unary { self.listDocuments($0, $1) })
        methods.register(FirestoreMethods.createDocument, .unary { self.createDocument($0, $1) })
        methods.register(FirestoreMethods.updateDocument, .unary { self.updateDocument($0, $1) })
        methods.register(
            FirestoreMethods.deleteDocument,
            messageBytesMax: names,
            .unary { self.deleteDocument($0, $1) }
        )
        methods.register(FirestoreMethods.batchGetDocuments, .serverStreaming { self.batchGetDocuments($0, $1) })
        methods.register(
            FirestoreMethods.beginTransaction,
            messageBytesMax: names,
            .unary { self.beginTransaction($0, $1) }
        )
        methods.register(FirestoreMethods.commit, .unary { self.commit($0, $1) })
        methods.register(FirestoreMethods.rollback, messageBytesMax: names, .unary { self.rollback($0, $1) })
        methods.register(FirestoreMethods.batchWrite, .unary { self.batchWrite($0, $1) })
        self.registerQueries(in: &methods)
        methods.register(FirestoreMethods.write, .bidirectional { self.write($0) })
        methods.register(
            FirestoreMethods.listCollectionIds,
            messageBytesMax: names,
            .unary { self.listCollectionIds($0, $1) }
        )
    }

    private func registerQueries(in methods: inout GRPCMethodTable) {
        let (queries, targets) = (RequestLimits.queries, RequestLimits.targets)
        methods.register(
            FirestoreMethods.runQuery,
            messageBytesMax: queries,
            .serverStreaming { self.runQuery($0, $1) }
        )
        methods.register(
            FirestoreMethods.runAggregationQuery,
            messageBytesMax: queries,
            .serverStreaming { self.runAggregationQuery($0, $1) }
        )
        methods.register(
            FirestoreMethods.partitionQuery,
            messageBytesMax: queries,
            .unary { self.partitionQuery($0, $1) }
        )
        methods.register(FirestoreMethods.listen, messageBytesMax: targets, .bidirectional { self.listen($0) })
    }

    /// Takes a request that waits for locks back when its caller is gone.
    func cancel(_ ticket: RequestTicket?, with call: GRPCServerCall) {
        guard let ticket else { return }
        call.onCancel { self.transactions.cancel(ticket) }
    }

    /// The same for what writes: that part of it which can no longer be taken back has an open outcome.
    func settle(_ ticket: RequestTicket?, with call: GRPCServerCall) {
        guard !call.isFinished else { return }
        call.hasOpenOutcome = true
        guard let ticket else { return }
        call.onCancel { if self.transactions.cancel(ticket) { call.hasOpenOutcome = false } }
    }

    /// The same for a batch: it is answered when all of its outcomes are known once what waits for locks was taken back.
    func settle(_ ticket: BatchTicket?, with call: GRPCServerCall) {
        guard !call.isFinished else { return }
        call.hasOpenOutcome = true
        guard let ticket else { return }
        call.onCancel { self.transactions.cancel(ticket) }
    }

    func reply<Value: Sendable>(
        _ complete: @escaping @Sendable (Result<Value, TransactionError>) -> Void
    ) -> Reply<Value> {
        Reply(mailbox: self.mailbox, complete: complete)
    }
}

extension GRPCServerCall {
    /// The decoded request; nil when it was refused and the call is finished with the reason.
    func decode<Request>(_ body: () throws(WireError) -> Request) -> Request? {
        do throws(WireError) {
            return try body()
        } catch {
            self.finish(error.status)
            return nil
        }
    }

    /// What the engine answered; nil when it was an error and the call is finished with it.
    func value<Value>(_ result: Result<Value, TransactionError>) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            self.finish(GRPCStatus(error))
            return nil
        }
    }

    /// - Parameter size: about how large the message gets; it may grow.
    func message(size: Int = 64, _ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        var buffer = self.makeMessageBuffer(capacity: size)
        write(&buffer)
        return buffer
    }
}
