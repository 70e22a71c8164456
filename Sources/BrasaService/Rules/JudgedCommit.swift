import BrasaDocuments
import BrasaIdentity
import BrasaMessages
import BrasaRules
import BrasaStatus
import BrasaStore
import BrasaTransactions
import NIOCore

/// One commit of somebody whose writes rules are asked about. It is worked out on the documents as they are, judged, and
/// handed to the engine, which carries it out if everything that the judgement rests on still is as it was; if not, all of
/// that is done again. So no write gets through that the rules would refuse at its commit's time.
///
/// Unchecked, because all of it is used on the call's event loop only; completions merely carry it there.
final class JudgedCommit: @unchecked Sendable {
    struct Order {
        var database: DatabaseHandle
        var transaction: TransactionID?
        var writes: [Write]
        var witness: (any CommitWitness)?
        var keepsDocument = false
    }

    enum Outcome {
        case committed(CommitResult)
        case failed(TransactionError)
        case denied(Status)
    }

    /// Who asked. All are called on the event loop.
    struct Client {
        /// Whether it goes on. Asked between any two steps; who says no hears nothing any more.
        let isWanted: () -> Bool
        /// The engine has it, or, with false, has given it back unchanged. With the ticket if it waits for locks.
        let isWithEngine: (Bool, RequestTicket?) -> Void
        /// Counts what is kept from one turn to the next. It is no longer wanted if there is no room.
        let hold: (Int) -> Void
        let done: (Outcome) -> Void
    }

    /// Commits that are outdated again and again end as those that lose to others.
    private static let roundsMax = 8

    private let service: FirestoreService
    private let caller: Caller
    private let order: Order
    private let writes: [RuleWrite]
    private let client: Client
    private let startedAt: NIODeadline
    /// Of this round: rules may change while the commit waits.
    private var judge: CallJudge?
    private var round = 0
    private var heldBytes = 0
    private var judgement: Judgement?
    private var documents: ProspectDocuments?
    private var isAnswered = false

    init(_ order: Order, of caller: Caller, by judge: CallJudge, on service: FirestoreService, for client: Client) {
        self.order = order
        self.writes = order.writes.map(RuleWrite.init)
        self.caller = caller
        self.judge = judge
        self.startedAt = service.eventLoop.now
        self.service = service
        self.client = client
    }

    func run() {
        guard self.client.isWanted() else { return self.endTransaction() }
        // What is stored is not even looked at for those who may do nothing there. One write is worked out as soon.
        if self.writes.count > 1 { self.cover(self.writes[...]) } else { self.workOut() }
    }

    private func cover(_ writes: ArraySlice<RuleWrite>) {
        guard let judge else { return self.deny(.permissionDenied) }
        guard let rest = judge.covered(writes, on: self.service.eventLoop) else { return self.deny(.permissionDenied) }
        if rest.isEmpty { return self.workOut() }
        self.service.eventLoop.execute { self.goOn { self.cover(rest) } }
    }

    private func workOut() {
        guard let judge else { return self.deny(.permissionDenied) }
        do throws(TransactionError) {
            let prospect = try self.service.transactions.prospect(of: self.order.writes, in: self.order.database)
            let documents = ProspectDocuments(prospect)
            self.documents = documents
            self.judgement = judge.judgement(of: .commit(self.writes), at: prospect.time, documents)
            self.proceed()
        } catch {
            self.fail(error)
        }
    }

    private func proceed() {
        guard var judgement = self.judgement.take(), let documents = self.documents else { return }
        switch judgement.turn(on: self.service.eventLoop) {
        case .unfinished:
            self.judgement = judgement
            guard self.hold(documents.prospect.byteCount) else { return self.endTransaction() }
            self.service.eventLoop.execute { self.goOn { self.proceed() } }
        // Other rules have come meanwhile.
        case .allowed where self.judge?.edition != self.service.rules.editionNumber: self.again()
        case .allowed: self.submit(documents.prospect)
        // What was looked at one after the other may never have been so together.
        case .denied where !documents.prospect.stands: self.again()
        case .denied(let status): self.deny(status, documents.prospect)
        }
    }

    private func goOn(_ next: () -> Void) {
        if self.client.isWanted() { next() } else { self.endTransaction() }
    }

    /// By the rules and the documents of then, in the loop's next turn.
    private func again() {
        (self.judgement, self.documents) = (nil, nil)
        self.round += 1
        guard self.round < Self.roundsMax else { return self.fail(.contention) }
        // Each round waits for locks anew.
        let lockWait = TimeAmount(self.service.transactions.configuration.lockWait)
        guard self.service.eventLoop.now - self.startedAt < lockWait else { return self.fail(.tooMuchContention) }
        self.service.eventLoop.execute {
            self.judge = self.service.judge(for: self.caller, in: self.order.database.name)
            self.run()
        }
    }

    /// False: there is no room, and the call is over.
    private func hold(_ bytes: Int) -> Bool {
        let change = bytes - self.heldBytes
        self.heldBytes = bytes
        if change != 0 { self.client.hold(change) }
        return self.client.isWanted()
    }

    private func submit(_ prospect: CommitProspect) {
        self.isAnswered = false
        let ticket = self.service.transactions.commit(
            database: self.order.database,
            transaction: self.order.transaction,
            writes: self.order.writes,
            prospect: prospect,
            witness: self.order.witness,
            keepsDocument: self.order.keepsDocument,
            reply: self.service.reply { self.answered($0) }
        )
        if !self.isAnswered { self.client.isWithEngine(true, ticket) }
    }

    private func answered(_ result: Result<CommitResult, TransactionError>) {
        self.isAnswered = true
        switch result {
        case .success(let result): self.client.done(.committed(result))
        case .failure(.outdated):
            self.client.isWithEngine(false, nil)
            self.again()
        case .failure(let error): self.client.done(.failed(error))
        }
    }

    // MARK: Without a commit

    /// Whatever is stored.
    private func deny(_ status: Status) {
        self.endTransaction()
        self.client.done(.denied(status))
    }

    private func deny(_ status: Status, _ prospect: CommitProspect) {
        self.endTransaction()
        // It shows something of the documents that it rests on.
        self.service.transactions.confirm(
            prospect,
            reply: self.service.reply { result in
                guard self.client.isWanted() else { return }
                switch result {
                case .success: self.client.done(.denied(status))
                case .failure(let error): self.client.done(.failed(error))
                }
            }
        )
    }

    private func fail(_ error: TransactionError) {
        self.endTransaction()
        self.client.done(.failed(error))
    }

    private func endTransaction() {
        guard let id = self.order.transaction else { return }
        self.service.transactions.failCommit(transaction: id, database: self.order.database)
    }
}

/// The documents before and after a commit that is judged. On one event loop.
private final class ProspectDocuments: RuleDocuments {
    private(set) var prospect: CommitProspect

    init(_ prospect: CommitProspect) {
        self.prospect = prospect
    }

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        guard after else { return self.prospect.document(path).map { .fields($0.fields) } ?? .missing }
        return switch self.prospect.future(of: path) {
        case .fields(let fields): .fields(fields)
        case .missing: .missing
        case .unknown: .unknown
        }
    }
}

extension RuleWrite {
    fileprivate init(_ write: Write) {
        let kind: Kind =
            switch write.operation {
            case .set, .merge: .set
            case .delete: .delete
            case .verify: .verify
            }
        let precondition: Precondition =
            switch write.precondition {
            case nil: .none
            case .exists(true), .updateTime: .exists
            case .exists(false): .isMissing
            }
        self.init(kind, write.name.path, precondition)
    }
}
