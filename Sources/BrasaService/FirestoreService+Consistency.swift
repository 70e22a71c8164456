import BrasaDocuments
import BrasaMessages
import BrasaStore
import BrasaTransactions
import NIOCore

extension FirestoreService {
    /// Clients take a `read_time` from their own clock: one that lies ahead by no more than this is waited for.
    private static let futureMicrosecondsMax: Int64 = 500_000

    /// Calls `body` with the time to read at, now or a little later; finishes the call when there is no such time.
    func withReadTime<Response>(
        _ requested: ReadTime?,
        in database: DatabaseHandle,
        for call: Call<Response>,
        _ body: @escaping @Sendable (Timestamp) throws(StoreError) -> Void
    ) {
        guard requested?.isMicrosecondAligned ?? true else { return call.finish(.unalignedReadTime) }
        do throws(StoreError) {
            guard let requested else { return try body(self.store.strongReadTime()) }
            try self.store.checkReadTime(requested.time, in: database)
            try body(requested.time)
        } catch {
            guard let requested, case .readTimeInFuture(let microseconds) = error.code,
                microseconds <= Self.futureMicrosecondsMax
            else { return call.finish(Status(error)) }
            self.await(requested, in: database, microseconds: microseconds, for: call, body)
        }
    }

    private func await<Response>(
        _ requested: ReadTime,
        in database: DatabaseHandle,
        microseconds: Int64,
        for call: Call<Response>,
        _ body: @escaping @Sendable (Timestamp) throws(StoreError) -> Void
    ) {
        // A commit in flight can hold the time back beyond the clock, hence at least a millisecond and another look.
        self.eventLoop.scheduleTask(in: .microseconds(max(microseconds, 1_000))) {
            // Others may have taken the room meanwhile.
            guard call.hasRoom() else { return }
            self.withReadTime(requested, in: database, for: call, body)
        }
    }

    /// The id that a request names; nil when it cannot be one and the call is finished.
    func transactionID<Response>(_ bytes: [UInt8], for call: Call<Response>) -> TransactionID? {
        if let id = TransactionID(bytes: bytes) { return id }
        call.finish(Status(TransactionError.invalidTransaction))
        return nil
    }

    /// Begins the transaction that `options` asks for and calls `body` with it, now or, for a `read_time` slightly ahead,
    /// a little later; finishes the call when it cannot begin. `unspecified` is what options without a mode mean.
    func begin<Response>(
        _ options: TransactionOptions,
        unspecified: TransactionMode,
        in database: DatabaseHandle,
        for call: Call<Response>,
        _ body: @escaping @Sendable (TransactionID) -> Void
    ) {
        let mode: TransactionMode
        do throws(Status) {
            mode = try Self.mode(options, unspecified: unspecified)
        } catch {
            return call.finish(error)
        }
        // Its locks keep others from writing.
        if case .readWrite = mode, !self.admitsUnjudged(call, to: .write, database.name) { return }
        guard case .readOnly(let readTime?) = mode else { return self.begin(mode, in: database, for: call, body) }
        self.withReadTime(ReadTime(readTime), in: database, for: call) { _ in
            self.begin(mode, in: database, for: call, body)
        }
    }

    private func begin<Response>(
        _ mode: TransactionMode,
        in database: DatabaseHandle,
        for call: Call<Response>,
        _ body: (TransactionID) -> Void
    ) {
        do throws(TransactionError) {
            body(try self.transactions.begin(database: database, mode: mode))
        } catch {
            call.finish(Status(error))
        }
    }

    private static func mode(
        _ options: TransactionOptions,
        unspecified: TransactionMode
    ) throws(Status) -> TransactionMode {
        switch options {
        case .unspecified:
            return unspecified
        case .readOnly(let readTime):
            guard readTime?.isMicrosecondAligned ?? true else { throw .unalignedReadTime }
            return .readOnly(readTime: readTime?.time)
        case .readWrite(let retry, let concurrency):
            let earlier = TransactionID(bytes: retry)
            guard retry.isEmpty || earlier != nil else { throw Status(TransactionError.invalidTransaction) }
            return .readWrite(retry: earlier, concurrency: concurrency == .optimistic ? .optimistic : .pessimistic)
        }
    }
}
