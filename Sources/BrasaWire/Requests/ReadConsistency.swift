internal import BrasaDocuments
internal import BrasaMessages
internal import CBrasaFirestoreV1

extension TransactionOptions {
    init(_ envelope: TransactionOptionsEnvelope) throws(DocumentError) {
        switch envelope.mode_case {
        case BRASA__WIRE__TRANSACTION_OPTIONS__MODE_READ_ONLY:
            // The only member of its oneof; unset it is a nil pointer.
            self = .readOnly(readTime: try Self.readTime(envelope.read_only))
        case BRASA__WIRE__TRANSACTION_OPTIONS__MODE_READ_WRITE:
            guard let readWrite = envelope.read_write?.pointee else {
                self = .readWrite(retry: [])
                return
            }
            self = .readWrite(
                retry: readWrite.retry_transaction.array,
                concurrency: ConcurrencyMode(rawValue: readWrite.concurrency_mode) ?? .unspecified
            )
        default:
            self = .unspecified
        }
    }

    private static func readTime(
        _ readOnly: UnsafeMutablePointer<TransactionOptionsReadOnlyEnvelope>?
    ) throws(DocumentError) -> ReadTime? {
        guard let readOnly = readOnly?.pointee,
            readOnly.consistency_selector_case
                == BRASA__WIRE__TRANSACTION_OPTIONS__READ_ONLY__CONSISTENCY_SELECTOR_READ_TIME
        else { return nil }
        return try BrasaWire.readTime(readOnly.read_time)
    }
}

extension TransactionOptions: WireMessage {
    func encode(to sink: inout WireSink) {
        switch self {
        case .unspecified: break
        case .readOnly(let readTime): sink.keep(2, ReadOnlyMessage(readTime: readTime?.time))
        case .readWrite(let retry, let concurrency):
            sink.keep(3, ReadWriteMessage(retry: retry, concurrency: concurrency))
        }
    }

    private struct ReadOnlyMessage: WireMessage {
        let readTime: Timestamp?

        func encode(to sink: inout WireSink) {
            sink.write(2, self.readTime)
        }
    }

    private struct ReadWriteMessage: WireMessage {
        let retry: [UInt8]
        let concurrency: ConcurrencyMode

        func encode(to sink: inout WireSink) {
            sink.write(1, bytes: self.retry)
            sink.write(2, int32: self.concurrency.rawValue)
        }
    }
}

extension ReadConsistency {
    /// Field numbers differ from request to request; a request that cannot begin a transaction has none for it.
    func encode(to sink: inout WireSink, transaction: UInt64, newTransaction: UInt64?, readTime: UInt64) {
        switch self {
        case .strong: break
        case .transaction(let id): sink.keep(transaction, bytes: id)
        case .newTransaction(let options): if let newTransaction { sink.keep(newTransaction, options) }
        case .readTime(let read): sink.keep(readTime, read.time)
        }
    }
}

extension ReadConsistency {
    init(_ readTime: ReadTime?) {
        self = readTime.map { .readTime($0) } ?? .strong
    }

    init(_ newTransaction: UnsafeMutablePointer<TransactionOptionsEnvelope>?) throws(DocumentError) {
        guard let newTransaction else {
            self = .newTransaction(.unspecified)
            return
        }
        self = .newTransaction(try TransactionOptions(newTransaction.pointee))
    }
}
