import BrasaDocuments
package import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStatus
import BrasaStore
import BrasaWatch
import NIOCore

extension FirestoreService {
    package func listen(for call: Call<ListenResponse>) -> RequestObserver<ListenRequest> {
        self.refuseStrangers(call)
        return ListenStream(call, self)
    }
}

/// One Listen stream: hands requests to the watcher in their order, and what the watcher says to the client.
///
/// A client that does not read holds up the watcher's stream, which keeps no queue for it, and its own requests, which
/// wait in its flow-control window.
///
/// Used on the call's event loop only, which is the watcher's.
final class ListenStream: RequestObserver<ListenRequest> {
    private let call: Call<ListenResponse>
    private let service: FirestoreService
    /// Nil before the first request names the database, and once the call is over.
    private var stream: WatchStream?
    private var responses: ListenResponses?
    /// Nil: no rules are asked.
    private var judge: ListenJudge?
    /// A target that is being judged. Reading is paused until that is decided.
    private var judging: (decision: TargetDecision, request: TargetRequest)?
    /// What is counted on the call of the targets.
    private var heldBytes = 0

    init(_ call: Call<ListenResponse>, _ service: FirestoreService) {
        self.call = call
        self.service = service
    }

    // MARK: From the client

    override func received(_ request: ListenRequest, byteCount: Int) {
        guard let stream = self.stream ?? self.open(request.database) else { return }
        switch request.change {
        case .add(let target): self.add(target, byteCount: byteCount, to: stream)
        case .remove(let id): stream.remove(id)
        case nil: self.finish(Status(.invalidArgument, "A listen request must add or remove a target."))
        }
        // Answers are sent whether there is room or not.
        if !self.call.isWritable { self.call.pauseReading() }
    }

    /// Clients that are done close their side; nobody is left who would ask for anything else.
    override func halfClosed() {
        self.finish(.ok)
    }

    override func becameWritable() {
        self.stream?.becameWritable()
        if self.judging == nil { self.call.resumeReading() }
    }

    override func failed(_ status: Status) {
        self.finish(status)
    }

    override func cancelled() {
        self.close()
    }

    /// Not OK, which would leave the client without a reason to connect again.
    override func draining() {
        self.finish(.shuttingDown)
    }

    /// Nil: the caller may not read there, and the call is over.
    private func open(_ database: DatabaseName) -> WatchStream? {
        var judge: CallJudge?
        guard self.service.admits(self.call, to: .read, database, &judge) else { return nil }
        let stream = self.service.watcher.open(self.service.store.database(database), sink: self)
        self.stream = stream
        self.responses = ListenResponses(database: database)
        if judge != nil {
            self.judge = ListenJudge(self.call.caller, in: stream.database, on: self.service)
            self.service.listeners.add(self)
        }
        return stream
    }

    private func add(_ target: ListenTarget, byteCount: Int, to stream: WatchStream) {
        do throws(TargetIDError) {
            let request: TargetRequest
            do throws(Status) {
                request = try TargetRequest(target, byteCount: byteCount)
            } catch {
                // It fails alone, and so do ids that are wrong for the stream.
                return self.send(.targetChange(TargetChange(.remove, [try stream.refuse(target.id)], cause: error)))
            }
            if let refusal = self.call.countListeners(stream.targetCount + 1) { return self.refuse(request, refusal) }
            guard self.hold(stream.keptBytes + request.keptBytes) else { return self.close() }
            guard let judge else { return try stream.add(request) }
            guard let demand = target.demand(request) else { return self.refuse(request, .permissionDenied) }
            self.judge(request, demand, by: judge)
        } catch {
            self.finish(Status(.invalidArgument, error.description))
        }
    }

    // MARK: Targets that are judged

    private func judge(_ request: TargetRequest, _ demand: RuleDemand, by judge: ListenJudge) {
        guard let decision = judge.decision(about: demand, spansTurns: true) else {
            return self.refuse(request, .permissionDenied)
        }
        self.call.pauseReading()
        self.judging = (decision, request)
        self.proceed()
    }

    private func proceed() {
        guard let (known, request) = self.judging.take(), let judge, let stream else { return }
        var decision = known
        switch decision.turn(on: self.service.eventLoop) {
        case .unfinished:
            self.judging = (decision, request)
            return self.service.turns.next { self.proceed() }
        case .denied(let status): self.refuse(request, status)
        // Others have come meanwhile, and decide.
        case .allowed where decision.edition != self.service.rules.editionNumber:
            self.judge(request, decision.demand, by: judge)
            guard self.judging == nil else { return }
        case .allowed:
            judge.expect(ListenJudge.Target(id: request.id, decision))
            do throws(TargetIDError) {
                try stream.add(request)
            } catch {
                self.finish(Status(.invalidArgument, error.description))
            }
        }
        if self.call.isWritable { self.call.resumeReading() }
    }

    private func refuse(_ request: TargetRequest, _ cause: Status) {
        do throws(TargetIDError) {
            guard let stream, let id = try self.stream?.refuse(request.id) else { return }
            self.recount(stream)
            self.send(.targetChange(TargetChange(.add, [id])))
            self.send(.targetChange(TargetChange(.remove, [id], cause: cause)))
        } catch {
            self.finish(Status(.invalidArgument, error.description))
        }
    }

    /// All its targets, to be decided about again.
    func round() -> ListenJudge.Round? { self.judge?.round() }

    /// A turn of that. False: it is done.
    func judgeAgain(_ round: inout ListenJudge.Round) -> Bool {
        guard let judge, self.stream != nil else { return false }
        switch judge.turn(of: &round) {
        case .unfinished: return true
        case .finished: return false
        case .ends(let id, let cause):
            judge.end(id)
            self.end(id, cause)
            return true
        }
    }

    private func end(_ id: Int32, _ cause: Status) {
        self.send(.targetChange(TargetChange(.remove, [id], cause: cause)))
        self.stream?.remove(id)
    }

    /// After targets have gone.
    private func recount(_ stream: WatchStream) {
        _ = self.call.countListeners(stream.targetCount + (self.judging == nil ? 0 : 1))
        _ = self.hold(stream.keptBytes)
    }

    /// Counts what is kept while the call is open. False: there was no room, and the call is over.
    private func hold(_ bytes: Int) -> Bool {
        let change = bytes - self.heldBytes
        self.heldBytes = bytes
        return self.call.hold(change)
    }

    // MARK: To the client

    private func send(_ response: ListenResponse) {
        self.call.send(response)
    }

    private func finish(_ status: Status) {
        self.close()
        self.call.finish(status)
    }

    /// Gives back everything that the watcher holds for the stream.
    private func close() {
        self.stream?.close()
        self.stream = nil
        if self.judge != nil { self.service.listeners.remove(self) }
    }
}

extension ListenStream: WatchSink {
    var isWritable: Bool { self.call.isWritable }

    func send(_ event: WatchEvent) {
        if case .targetRemoved = event, let stream { self.recount(stream) }
        guard let judge else { return self.pass(event) }
        let verdict = judge.verdict(on: event)
        for (id, cause) in verdict.ended { self.end(id, cause) }
        if let event = verdict.event { self.pass(event) }
    }

    private func pass(_ event: WatchEvent) {
        guard let responses else { return }
        switch event {
        // Who may see what a query finds may not see what it finds no more.
        case .documentChanged(let document, let targets, let removed) where targets.isEmpty && self.judge != nil:
            self.send(responses.left(document, removed))
        case .documentChanged(let document, let targets, let removed):
            self.call.send(responses.changed(document, targets, removed))
        case .documentDeleted(let deletion, let removed):
            self.call.send(responses.deleted(deletion, removed))
        case .snapshot(let snapshot):
            self.call.send(responses.snapshot(snapshot))
        case .current(let targets, let snapshot):
            self.call.send(responses.current(targets, snapshot))
        case .resumable(let targets, let snapshot):
            self.call.send(responses.resumable(targets, snapshot))
        case .alive(let targets):
            self.send(.targetChange(TargetChange(.noChange, targets)))
        case .targetAdded(let id):
            self.send(.targetChange(TargetChange(.add, [id])))
        case .reset(let targets):
            self.send(.targetChange(TargetChange(.reset, targets)))
        case .targetRemoved(let id, let cause):
            self.send(.targetChange(TargetChange(.remove, [id], cause: cause.map(Status.init))))
        case .existenceFilter(let id, let count, let unchanged):
            self.send(.filter(ExistenceFilter(id, count: count, unchanged)))
        }
    }

    func send(_ update: WatchUpdate) {
        if self.judge == nil, let pair = ListenResponses.madePair(update) ?? self.responses?.pair(update) {
            return self.call.send(pair)
        }
        self.send(update.event)
        self.send(.snapshot(update.snapshot))
    }

    /// The connection sends what has gathered at the end of the loop's turn, and before when it is much: the first of
    /// thousands of listeners need not wait until the last is told.
    func flush() {
        self.call.flushIfMuch()
    }
}

extension ListenTarget {
    /// What rules are asked about the target; nil for none that is known.
    fileprivate func demand(_ request: TargetRequest) -> RuleDemand? {
        switch (self.subject, request.selection) {
        case (_, .documents(let paths)): .documents(paths)
        case (.success(.query(_, let asked?)), .query(let query)): .query(asked, query)
        default: nil
        }
    }
}

extension TargetRequest {
    fileprivate init(_ target: ListenTarget, byteCount: Int) throws(Status) {
        let selection: Selection
        switch target.subject {
        case .success(.documents(let names)):
            selection = .documents(names.map(\.path))
        case .success(.query(let parent, let structured?)):
            do throws(QueryError) {
                selection = .query(try Query(structured, parent: parent))
            } catch {
                throw Status(error)
            }
        case .success(.query(_, nil)):
            throw Status(.invalidArgument, "only structured queries are supported")
        case .success(.unknown):
            throw Status(.invalidArgument, "A target must be a query or a set of documents.")
        case .failure(let error):
            throw error
        }
        let start: Start =
            switch target.resume {
            case .token(let token): .token(token)
            case .readTime(let readTime): .time(readTime.time)
            case nil: .beginning
            }
        self.init(
            id: target.id,
            selection: selection,
            start: start,
            once: target.once,
            expectedCount: target.expectedCount.map(Int.init),
            byteCount: byteCount
        )
    }
}

extension ExistenceFilter {
    fileprivate init(_ id: Int32, count: Int, _ unchanged: BloomFilter?) {
        self.init(
            targetID: id,
            count: Int32(clamping: count),
            unchangedNames: unchanged.map {
                BloomFilterMessage(
                    bitmap: $0.bitmap,
                    padding: Int32(clamping: $0.padding),
                    hashCount: Int32(clamping: $0.hashCount)
                )
            }
        )
    }
}
