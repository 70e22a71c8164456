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
/// A batch is not even looked at before the one before it is applied. So commits happen in the order of the requests, and
/// when one fails, none behind it has happened: the client sends them again on its next stream. Those that are applied wait
/// for the disk together, and are answered in their order; whatever ends the stream waits for them. What waits for them to
/// be applied waits in the client's flow-control window.
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
    /// What the client is still to be told.
    private var turns = WriteStreamTurns()
    /// What is counted on the call of the stream's answers, and of its batches.
    private var heldBytes = 0
    /// The call has ended.
    private var isOver = false

    init(_ call: Call<WriteResponse>, _ service: FirestoreService) {
        self.call = call
        self.service = service
    }

    override func received(_ request: WriteRequest, byteCount: Int) {
        guard let session else { return self.shakeHands(request) }
        if let seen = WriteStreamRecord.position(request.streamToken) { session.record.acknowledge(seen) }
        if request.writes.isEmpty {
            // A goodbye of clients that are about to close.
            self.say(.answer(WriteResponse(streamToken: WriteStreamRecord.token(session.record.nextPosition()))))
        } else {
            self.begin(request.writes, byteCount: byteCount, session)
        }
    }

    override func failed(_ status: Status) {
        self.say(.end(status))
    }

    override func halfClosed() {
        self.say(.end(.ok))
    }

    override func becameWritable() {
        self.read()
    }

    override func cancelled() {
        self.takeBack()
        self.close()
    }

    override func draining() {
        self.say(.end(.shuttingDown))
    }

    /// A client that does not read its answers gets no further ones until it does.
    private func read() {
        if self.turns.hasRoom, !self.isResuming, self.call.isWritable {
            self.call.resumeReading()
        } else {
            self.call.pauseReading()
        }
    }

    // MARK: The end

    private func end(_ status: Status) {
        self.call.finish(status)
        self.close()
    }

    private func close() {
        self.isOver = true
        if let batch = self.turns.newest, case .postponed = batch.state { self.withdraw(batch) }
        self.turns.close()
        guard !self.turns.hasBatches, let session else { return }
        if session.record.isOwned(by: session.owner) {
            self.service.writeStreams.close(session.record, by: session.owner)
        } else {
            self.service.writeStreams.settledLate(session.record)
        }
    }

    private func takeBack() {
        guard let batch = self.turns.newest, case .withEngine(let ticket?) = batch.state,
            self.service.transactions.cancel(ticket)
        else { return }
        self.withdraw(batch)
        self.call.hasOpenOutcome = self.turns.hasOpenOutcome
    }

    /// Nothing will become of it.
    private func withdraw(_ batch: WriteStreamBatch) {
        self.turns.remove(batch)
        self.session?.record.settleRefused(nil)
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
        if let refusal = self.hold(for: session) { return self.end(refusal) }
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
        if let refusal = self.hold(for: session) { return self.end(refusal) }
        for receipt in missed {
            guard let answer = self.service.writeStreams.archive.answer(receipt.answer) else {
                return self.end(Self.unknown)
            }
            self.call.send(answer)
        }
        self.greet(session)
    }

    private static func status(of refusal: WriteStreamRecord.Refusal) -> Status {
        switch refusal {
        case .unknown: Self.unknown
        case .lost: Self.lost
        }
    }

    private func greet(_ session: Session) {
        let token = WriteStreamRecord.token(session.record.nextPosition())
        self.say(.answer(WriteResponse(streamID: session.record.id, streamToken: token)))
    }

    // MARK: Batches

    private func begin(_ writes: [Write], byteCount: Int, _ session: Session) {
        let batch = WriteStreamBatch(
            writes,
            byteCount: byteCount,
            record: session.record,
            archive: self.service.writeStreams.archive
        )
        // The answer is kept in any case, so this is asked before anything has happened.
        if let refusal = self.hold(for: session, besides: batch.heldBytes) { return self.say(.end(refusal)) }
        guard session.record.begin(by: session.owner) else { return self.end(Self.taken) }
        self.turns.append(.batch(batch))
        self.call.pauseReading()
        self.submit(batch, session)
    }

    private func submit(_ batch: WriteStreamBatch, _ session: Session) {
        // By the rules of this moment: streams stay open for long.
        var judge: CallJudge?
        guard self.service.admits(self.call.caller, to: .write, session.database.name, &judge) else {
            return self.refused(.permissionDenied, batch, session)
        }
        if let judge { return self.judge(batch, by: judge, session) }
        batch.state = .withEngine(nil)
        self.call.hasOpenOutcome = true
        let ticket = self.service.transactions.commit(
            database: session.database,
            transaction: nil,
            writes: batch.writes,
            witness: batch,
            reply: self.service.reply { self.committed($0, batch, session) }
        )
        if case .withEngine = batch.state { self.wait(for: batch, with: ticket) }
    }

    /// The engine has it. Who does not wait for locks is applied by now: the next one may begin.
    private func wait(for batch: WriteStreamBatch, with ticket: RequestTicket?) {
        if ticket == nil, batch.position != nil {
            batch.state = .applied
            batch.writes = []
        } else {
            batch.state = .withEngine(ticket)
        }
        self.call.hasOpenOutcome = self.turns.hasOpenOutcome
        if ticket != nil { self.call.onCancel { [weak self] in self?.takeBack() } }
        self.read()
    }

    private func judge(_ batch: WriteStreamBatch, by judge: CallJudge, _ session: Session) {
        batch.state = .judged
        let client: JudgedCommit.Client = { event in
            switch event {
            case .betweenSteps: break
            case .keeps(let bytes):
                self.turns.hold(bytes, for: batch)
                if let refusal = self.hold(for: session) {
                    self.refused(refusal, batch, session)
                    return false
                }
            case .isWithEngine(let ticket):
                self.wait(for: batch, with: ticket)
                return true
            case .isBack:
                batch.state = .judged
                self.call.hasOpenOutcome = self.turns.hasOpenOutcome
                return true
            case .ended(let outcome):
                self.ended(outcome, batch, session)
                return false
            }
            if self.isOver { self.refused(.permissionDenied, batch, session) }
            return !self.isOver
        }
        let order = JudgedCommit.Order(database: session.database, writes: batch.writes, witness: batch)
        JudgedCommit(order, of: self.call.caller, by: judge, on: self.service, for: client).run()
    }

    private func ended(_ outcome: JudgedCommit.Outcome, _ batch: WriteStreamBatch, _ session: Session) {
        switch outcome {
        case .committed(let result): self.committed(.success(result), batch, session)
        case .failed(let error): self.committed(.failure(error), batch, session)
        case .denied(let status): self.refused(status, batch, session)
        }
    }

    /// The batch never got to the engine.
    private func refused(_ status: Status, _ batch: WriteStreamBatch, _ session: Session) {
        session.record.settleRefused(nil)
        self.settle(batch, .failure(status))
    }

    private func committed(
        _ result: Result<CommitResult, TransactionError>,
        _ batch: WriteStreamBatch,
        _ session: Session
    ) {
        switch result {
        case .failure(.exhausted) where !self.isOver && !self.turns.isFirst(batch):
            batch.state = .postponed
        case .failure(let error):
            if case .outcomeUnknown = error {
                session.record.settleUnknown(batch.position)
            } else {
                session.record.settleRefused(batch.position)
            }
            self.settle(batch, .failure(Status(error)))
        case .success(let result):
            guard let position = batch.position else {
                preconditionFailure("a commit with a witness that succeeds has a receipt")
            }
            session.record.settleApplied(position)
            self.settle(batch, .success(WriteResponse(result, position: position)))
        }
    }

    private func settle(_ batch: WriteStreamBatch, _ outcome: Result<WriteResponse, Status>) {
        batch.state = .settled(outcome)
        if self.isOver { self.close() } else { self.saySettled() }
    }

    // MARK: Answers

    /// Counts the answers that are kept while the call is open, and what is held for batches. Why there is no room, if there
    /// is none.
    private func hold(for session: Session, besides bytes: Int = 0) -> Status? {
        let held = self.heldBytes(for: session) + bytes
        if let refusal = self.call.refusal(toHold: held - self.heldBytes) { return refusal }
        self.heldBytes = held
        return nil
    }

    private func heldBytes(for session: Session) -> Int { session.record.bytes + self.turns.heldBytes }

    /// Behind what is owed before.
    private func say(_ turn: WriteStreamTurns.Turn) {
        self.turns.append(turn)
        self.saySettled()
    }

    private func saySettled() {
        while let settled = self.turns.nextSettled() {
            switch settled {
            case .answer(let response): self.call.send(response)
            case .end(let status): return self.end(status)
            }
        }
        // Counted while that cannot end the call: it was applied.
        if let session {
            let bytes = self.heldBytes(for: session)
            _ = self.call.hold(bytes - self.heldBytes)
            self.heldBytes = bytes
        }
        self.call.hasOpenOutcome = self.turns.hasOpenOutcome
        guard !self.isOver else { return }
        guard let session, let batch = self.turns.newest, case .postponed = batch.state, self.turns.isFirst(batch)
        else {
            return self.read()
        }
        self.submit(batch, session)
    }
}
