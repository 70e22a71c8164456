import BrasaDocuments
import BrasaGRPC
import BrasaPlatform
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore

extension FirestoreService {
    func write(_ call: GRPCServerCall) -> any GRPCServerStreamHandler {
        WriteStream(call, self)
    }
}

/// One Write stream: a handshake, then one commit after the other.
///
/// A batch is not even looked at before the one before it is durable and answered. So commits happen in the order of the
/// requests, and when one fails, none behind it has happened: the client sends them again on its next stream. What waits
/// meanwhile waits in the client's flow-control window.
///
/// Unchecked, because all of it is used on the call's event loop only; completions merely carry it there.
final class WriteStream: GRPCServerStreamHandler, @unchecked Sendable {
    private static let shuttingDown = GRPCStatus(.unavailable, "The server is shutting down")
    private static let idBytes = 16

    private let call: GRPCServerCall
    private let service: FirestoreService
    /// Nil before the handshake.
    private var database: DatabaseHandle?
    private var answers: UInt64 = 0
    /// A batch is with the engine. Reading is paused until it is answered.
    private var isCommitting = false
    /// Takes that batch back, while it waits for locks.
    private var ticket: RequestTicket?
    private var isDraining = false

    init(_ call: GRPCServerCall, _ service: FirestoreService) {
        self.call = call
        self.service = service
    }

    func received(message: ByteBuffer) {
        guard let database else { return self.shakeHands(message) }
        let request = self.call.decode { () throws(WireError) in
            try WriteRequest(decoding: message, in: database.name)
        }
        guard let request else { return }
        // A goodbye of clients that are about to close.
        guard !request.writes.isEmpty else { return self.answer(WriteResponse(streamToken: self.nextToken())) }
        self.commit(request.writes, in: database)
    }

    func halfClosed() {
        self.call.finish(.ok)
    }

    func becameWritable() {
        if !self.isCommitting { self.call.resumeReading() }
    }

    func cancelled() {
        if let ticket { self.service.transactions.cancel(ticket) }
        self.ticket = nil
    }

    func draining() {
        self.isDraining = true
        if !self.isCommitting { self.call.finish(Self.shuttingDown) }
    }

    private func shakeHands(_ message: ByteBuffer) {
        let request = self.call.decode { () throws(WireError) in try WriteRequest(decoding: message) }
        guard let request else { return }
        guard request.streamID.bytes.isEmpty, request.streamToken.isEmpty else {
            // What became of the batches after that token is not kept: the client begins anew.
            return self.call.finish(GRPCStatus(.aborted, "The write stream cannot be resumed. Please start a new one."))
        }
        guard request.writes.isEmpty else {
            return self.call.finish(
                GRPCStatus(.invalidArgument, "The first request of a write stream must not have writes.")
            )
        }
        self.database = self.service.store.database(request.database)
        let id = Base64URL.encode(self.service.entropy.bytes(Self.idBytes))
        self.answer(
            WriteResponse(
                streamID: UTF8Text(String(decoding: id, as: UTF8.self)),
                streamToken: self.nextToken()
            )
        )
    }

    private func commit(_ writes: [Write], in database: DatabaseHandle) {
        self.isCommitting = true
        self.call.pauseReading()
        let ticket = self.service.transactions.commit(
            database: database,
            transaction: nil,
            writes: writes,
            reply: self.service.reply { self.committed($0) }
        )
        if self.isCommitting { self.ticket = ticket }
    }

    private func committed(_ result: Result<CommitResult, TransactionError>) {
        self.isCommitting = false
        self.ticket = nil
        guard let commit = self.call.value(result) else { return }
        self.answer(
            WriteResponse(
                streamToken: self.nextToken(),
                writeResults: commit.results.map(WriteResultMessage.init),
                commitTime: commit.commitTime
            )
        )
        if self.isDraining { return self.call.finish(Self.shuttingDown) }
        if self.call.isWritable { self.call.resumeReading() }
    }

    /// A client that does not read its answers gets no further ones until it does.
    private func answer(_ response: WriteResponse) {
        self.call.send(self.call.message { response.encode(into: &$0) })
        if !self.call.isWritable { self.call.pauseReading() }
    }

    /// Tokens count answers; a client only ever hands them back.
    private func nextToken() -> [UInt8] {
        self.answers += 1
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self.answers >> UInt64($0)) }
    }
}
