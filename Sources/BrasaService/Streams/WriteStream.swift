import BrasaDocuments
import BrasaIdentity
package import BrasaMessages
import BrasaPlatform
import BrasaStatus
import BrasaStore
import BrasaTransactions
import NIOCore

extension FirestoreService {
    package func write(for call: Call<WriteResponse>) -> RequestObserver<WriteRequest> {
        self.refuseStrangers(call)
        return WriteStream(call, self)
    }
}

/// One connection of a Write stream: a handshake, then one commit after the other.
///
/// A batch is not even looked at before the one before it is durable and answered. So commits happen in the order of the
/// requests, and when one fails, none behind it has happened: the client sends them again on its next stream. What waits
/// meanwhile waits in the client's flow-control window.
///
/// Unchecked, because all of it is used on the call's event loop only; completions merely carry it there.
final class WriteStream: RequestObserver<WriteRequest>, @unchecked Sendable {
    private static let taken = Status(.aborted, "The write stream goes on with another connection.")
    private static let unknown = Status(
        .aborted,
        "The write stream cannot be resumed. Please start a new one."
    )

    private static let lost = Status(.unavailable, "The log has failed. The next start knows what was written.")

    private struct Session {
        let database: DatabaseHandle
        let record: WriteStreamRecord
        let owner: WriteStreamRecord.Owner
    }

    private let call: Call<WriteResponse>
    private let service: FirestoreService
    /// Nil before the handshake's request.
    private var session: Session?
    /// The handshake is not answered before the connection before this one has no batch with the engine any more. Reading
    /// is paused until then.
    private var isResuming = false
    /// A batch is with the engine. Reading is paused until it is answered.
    private var isCommitting = false
    /// What is counted on the call of the stream's answers.
    private var heldBytes = 0
    /// Takes that batch back, while it waits for locks.
    private var ticket: RequestTicket?
    private var isDraining = false
    /// The call has ended.
    private var isOver = false

    init(_ call: Call<WriteResponse>, _ service: FirestoreService) {
        self.call = call
        self.service = service
    }

    override func received(_ request: WriteRequest, byteCount: Int) {
        guard let session else { return self.shakeHands(request) }
        if let seen = WriteStreamRecord.position(request.streamToken) { session.record.acknowledge(seen) }
        // A goodbye of clients that are about to close.
        guard !request.writes.isEmpty else {
            guard self.hold(session.record.bytes) else { return self.close() }
            return self.answer(WriteResponse(streamToken: WriteStreamRecord.token(session.record.nextPosition())))
        }
        self.commit(request.writes, session)
    }

    override func failed() {
        self.close()
    }

    override func halfClosed() {
        self.end(.ok)
    }

    override func becameWritable() {
        if !self.isCommitting, !self.isResuming { self.call.resumeReading() }
    }

    override func cancelled() {
        self.takeBack()
        self.close()
    }

    override func draining() {
        self.isDraining = true
        if !self.isCommitting { self.end(.shuttingDown) }
    }

    // MARK: - The end

    private func end(_ status: Status) {
        self.call.finish(status)
        self.close()
    }

    private func close() {
        self.isOver = true
        guard !self.isCommitting, let session else { return }
        self.service.writeStreams.close(session.record, by: session.owner)
    }

    private func takeBack() {
        guard let ticket = self.ticket.take(), self.service.transactions.cancel(ticket) else { return }
        self.isCommitting = false
        self.call.hasOpenOutcome = false
        self.session?.record.settleRefused()
    }

    /// Another connection goes on with the stream.
    private func fenced() {
        guard !self.isOver else { return }
        self.takeBack()
        self.end(Self.taken)
    }

    private var fence: @Sendable () -> Void {
        let eventLoop = self.service.eventLoop
        return { [weak self] in
            guard let self else { return }
            eventLoop.execute { self.fenced() }
        }
    }

    // MARK: - The handshake

    private func shakeHands(_ request: WriteRequest) {
        // Who may not write is told so by what is written: of a handshake clients believe that it may succeed later. To go on
        // with a stream, which takes it from whoever has it, is another matter.
        let isNew = request.streamID.bytes.isEmpty && request.streamToken.isEmpty
        guard self.service.admitsUnjudged(self.call, to: isNew ? .read : .write, request.database) else { return }
        guard request.writes.isEmpty else {
            return self.call.finish(
                Status(.invalidArgument, "The first request of a write stream must not have writes.")
            )
        }
        guard isNew else { return self.resume(request) }
        let record = self.service.writeStreams.open(in: request.database, fence: self.fence)
        let session = Session(
            database: self.service.database(request.database),
            record: record,
            owner: WriteStreamRecord.firstOwner
        )
        self.session = session
        guard self.hold(record.bytes) else { return self.close() }
        self.greet(session)
    }

    private func resume(_ request: WriteRequest) {
        guard let position = WriteStreamRecord.position(request.streamToken) else {
            return self.call.finish(Self.unknown)
        }
        let (record, owner): (WriteStreamRecord, WriteStreamRecord.Owner)
        do throws(WriteStreamRecord.Refusal) {
            (record, owner) = try self.service.writeStreams.takeOver(
                request.streamID,
                in: request.database,
                after: position,
                fence: self.fence
            )
        } catch {
            return self.call.finish(Self.status(of: error))
        }
        let session = Session(
            database: self.service.database(request.database),
            record: record,
            owner: owner
        )
        self.session = session
        self.isResuming = true
        self.call.pauseReading()
        let eventLoop = self.service.eventLoop
        let isSettled = record.isSettled(for: owner) {
            eventLoop.execute { self.goOn(session, after: position) }
        }
        if isSettled { self.goOn(session, after: position) }
    }

    /// The answers that the client has missed come before that to its handshake: so it knows that there are no others.
    private func goOn(_ session: Session, after position: WriteStreamRecord.Position) {
        guard !self.isOver else { return }
        let missed: [CommitReceipt]
        do throws(WriteStreamRecord.Refusal) {
            missed = try session.record.answers(after: position, for: session.owner)
        } catch {
            return self.end(Self.status(of: error))
        }
        self.isResuming = false
        guard self.hold(session.record.bytes) else { return self.close() }
        for receipt in missed {
            guard let answer = self.service.writeStreams.archive.answer(receipt.answer) else {
                return self.end(Self.unknown)
            }
            self.call.send(answer)
        }
        self.greet(session)
        if self.call.isWritable { self.call.resumeReading() }
    }

    private static func status(of refusal: WriteStreamRecord.Refusal) -> Status {
        switch refusal {
        case .unknown: Self.unknown
        case .lost: Self.lost
        }
    }

    private func greet(_ session: Session) {
        self.answer(
            WriteResponse(
                streamID: session.record.id,
                streamToken: WriteStreamRecord.token(session.record.nextPosition())
            )
        )
    }

    // MARK: - Batches

    /// Counts the answers that are kept while the call is open. False: there was no room, and the call is over.
    private func hold(_ bytes: Int) -> Bool {
        let change = bytes - self.heldBytes
        self.heldBytes = bytes
        return self.call.hold(change)
    }

    /// About what the answer to a batch takes: for each write a time, for each transform a number or a time.
    private static func answerBytes(_ writes: [Write]) -> Int {
        writes.reduce(64) { $0 + 24 + 16 * $1.transforms.count }
    }

    private func commit(_ writes: [Write], _ session: Session) {
        // By the rules of this moment: streams stay open for long.
        var judge: CallJudge?
        guard self.service.admits(self.call, to: .write, session.database.name, &judge) else { return self.close() }
        // The answer is kept in any case, so this is asked before anything has happened.
        guard self.hold(session.record.bytes + Self.answerBytes(writes)) else { return self.close() }
        guard session.record.begin(by: session.owner) else { return self.end(Self.taken) }
        self.isCommitting = true
        self.call.pauseReading()
        let witness = BatchWitness(record: session.record, archive: self.service.writeStreams.archive)
        if let judge {
            let order = JudgedCommit.Order(database: session.database, writes: writes, witness: witness)
            return self.judge(order, by: judge, session)
        }
        self.call.hasOpenOutcome = true
        let ticket = self.service.transactions.commit(
            database: session.database,
            transaction: nil,
            writes: writes,
            witness: witness,
            reply: self.service.reply { self.committed($0, session) }
        )
        self.wait(with: ticket)
    }

    private func wait(with ticket: RequestTicket?) {
        guard self.isCommitting, let ticket else { return }
        self.ticket = ticket
        self.call.onCancel { [weak self] in self?.takeBack() }
    }

    private func judge(_ order: JudgedCommit.Order, by judge: CallJudge, _ session: Session) {
        let client: JudgedCommit.Client = { event in
            switch event {
            case .betweenSteps: break
            case .keeps(let bytes): if !self.hold(self.heldBytes + bytes) { self.isOver = true }
            case .isWithEngine(let ticket):
                (self.ticket, self.call.hasOpenOutcome) = (nil, true)
                self.wait(with: ticket)
                return true
            case .isBack:
                (self.ticket, self.call.hasOpenOutcome) = (nil, false)
                return true
            case .ended(let outcome):
                self.ended(outcome, session)
                return false
            }
            if self.isOver { self.refused(.permissionDenied, session) }
            return !self.isOver
        }
        JudgedCommit(order, of: self.call.caller, by: judge, on: self.service, for: client).run()
    }

    private func ended(_ outcome: JudgedCommit.Outcome, _ session: Session) {
        switch outcome {
        case .committed(let result): self.committed(.success(result), session)
        case .failed(let error): self.committed(.failure(error), session)
        case .denied(let status): self.refused(status, session)
        }
    }

    /// The batch never got to the engine.
    private func refused(_ status: Status, _ session: Session) {
        self.isCommitting = false
        session.record.settleRefused()
        self.end(status)
    }

    private func committed(_ result: Result<CommitResult, TransactionError>, _ session: Session) {
        self.isCommitting = false
        self.ticket = nil
        // Counted while that cannot end the call any more: it was applied.
        let settled = result.map { WriteResponse($0, position: session.record.settleApplied()) }
        if case .success = settled { _ = self.hold(session.record.bytes) }
        self.call.hasOpenOutcome = false
        switch settled {
        case .failure(let error):
            if case .outcomeUnknown = error { session.record.settleUnknown() } else { session.record.settleRefused() }
            self.end(Status(error))
        case .success(let answer):
            guard session.record.isOwned(by: session.owner) else {
                return self.service.writeStreams.settledLate(session.record)
            }
            guard !self.isOver else { return self.close() }
            self.answered(answer)
        }
    }

    private func answered(_ answer: WriteResponse) {
        self.answer(answer)
        if self.isDraining { return self.end(.shuttingDown) }
        if self.call.isWritable { self.call.resumeReading() }
    }

    /// A client that does not read its answers gets no further ones until it does.
    private func answer(_ response: WriteResponse) {
        self.call.send(response)
        if !self.call.isWritable { self.call.pauseReading() }
    }
}

extension WriteResponse {
    /// The answer to a batch.
    fileprivate init(_ result: CommitResult, position: WriteStreamRecord.Position) {
        self.init(
            streamToken: WriteStreamRecord.token(position),
            writeResults: result.results.map(WriteResultMessage.init),
            commitTime: result.commitTime
        )
    }
}

/// Writes the answer to a batch down with the batch.
private struct BatchWitness: CommitWitness {
    let record: WriteStreamRecord
    let archive: AnswerArchive

    func receipt(for result: CommitResult) -> CommitReceipt {
        self.record.receipt(at: result.commitTime) { position in
            self.archive.bytes(WriteResponse(result, position: position))
        }
    }

    func withdrawReceipt() { self.record.withdrawReceipt() }
}
