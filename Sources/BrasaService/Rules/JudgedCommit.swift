package import BrasaDocuments
import BrasaIdentity
import BrasaMessages
package import BrasaRules
import BrasaStatus
import BrasaStore
package import BrasaTransactions
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

    /// What whoever asked is told, and says whether it goes on; who has said no hears nothing any more. On the event loop.
    typealias Client = (Event) -> Bool

    enum Event {
        /// Nothing has happened: between any two steps it is asked whether to go on.
        case betweenSteps
        /// So many bytes more, or less, are kept from one turn to the next.
        case keeps(Int)
        /// The engine has it, and it may have an outcome. With the ticket if it waits for locks.
        case isWithEngine(RequestTicket?)
        /// The engine has given it back unchanged.
        case isBack
        case ended(Outcome)
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
    private var keptBytes = 0
    /// What is left for the next turn.
    private var unfinished: (judgement: Judgement, prospect: CommitProspect)?
    private var isAnswered = false

    init(
        _ order: Order,
        of caller: Caller,
        by judge: CallJudge,
        on service: FirestoreService,
        for client: @escaping Client
    ) {
        self.order = order
        self.writes = order.writes.map(RuleWrite.init)
        self.caller = caller
        self.judge = judge
        self.startedAt = service.eventLoop.now
        self.service = service
        self.client = client
    }

    func run() {
        guard self.client(.betweenSteps) else { return self.endTransaction() }
        // What is stored is not even looked at for those who may do nothing there. One write is worked out as soon.
        if self.writes.count > 1 { self.cover(self.writes[...]) } else { self.workOut() }
    }

    private func cover(_ writes: ArraySlice<RuleWrite>) {
        guard let judge else { return self.deny(.permissionDenied) }
        guard let rest = judge.covered(writes, on: self.service.eventLoop) else { return self.deny(.permissionDenied) }
        if rest.isEmpty { return self.workOut() }
        self.service.turns.next { self.goOn { self.cover(rest) } }
    }

    private func workOut() {
        guard let judge else { return self.deny(.permissionDenied) }
        do throws(TransactionError) {
            let prospect = try self.service.transactions.prospect(of: self.order.writes, in: self.order.database)
            var judgement = judge.judgement(of: .commit(self.writes), at: prospect.time, prospect)
            self.proceed(&judgement, prospect)
        } catch {
            self.fail(error)
        }
    }

    private func proceed(_ judgement: inout Judgement, _ prospect: CommitProspect) {
        switch judgement.turn(on: self.service.eventLoop) {
        case .unfinished:
            self.unfinished = (judgement, prospect)
            guard self.keep(prospect.byteCount) else { return self.endTransaction() }
            self.service.turns.next { self.goOn { self.proceed() } }
        // Other rules have come meanwhile.
        case .allowed where self.judge?.edition != self.service.rules.editionNumber: self.again()
        case .allowed: self.submit(prospect)
        // What was looked at one after the other may never have been so together.
        case .denied where !prospect.stands: self.again()
        case .denied(let status): self.deny(status, prospect)
        }
    }

    private func proceed() {
        guard var unfinished = self.unfinished.take() else { return }
        self.proceed(&unfinished.judgement, unfinished.prospect)
    }

    private func goOn(_ next: () -> Void) {
        if self.client(.betweenSteps) { next() } else { self.endTransaction() }
    }

    /// By the rules and the documents of then, in the loop's next turn.
    private func again() {
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
    private func keep(_ bytes: Int) -> Bool {
        let change = bytes - self.keptBytes
        self.keptBytes = bytes
        return self.client(change == 0 ? .betweenSteps : .keeps(change))
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
        if !self.isAnswered { _ = self.client(.isWithEngine(ticket)) }
    }

    private func answered(_ result: Result<CommitResult, TransactionError>) {
        self.isAnswered = true
        switch result {
        case .success(let result): self.end(.committed(result))
        // Who has lost interest is asked again before the next round.
        case .failure(.outdated):
            _ = self.client(.isBack)
            self.again()
        case .failure(let error): self.end(.failed(error))
        }
    }

    private func end(_ outcome: Outcome) { _ = self.client(.ended(outcome)) }

    // MARK: Without a commit

    /// Whatever is stored.
    private func deny(_ status: Status) {
        self.endTransaction()
        self.end(.denied(status))
    }

    private func deny(_ status: Status, _ prospect: CommitProspect) {
        self.endTransaction()
        // It shows something of the documents that it rests on.
        self.service.transactions.confirm(
            prospect,
            reply: self.service.reply { result in
                guard self.client(.betweenSteps) else { return }
                switch result {
                case .success: self.end(.denied(status))
                case .failure(let error): self.end(.failed(error))
                }
            }
        )
    }

    private func fail(_ error: TransactionError) {
        self.endTransaction()
        self.end(.failed(error))
    }

    private func endTransaction() {
        guard let id = self.order.transaction else { return }
        self.service.transactions.failCommit(transaction: id, database: self.order.database)
    }
}

/// The documents before and after a commit that is judged.
extension CommitProspect: RuleDocuments {
    package func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        guard after else { return self.document(path).map { .fields($0.fields) } ?? .missing }
        return switch self.future(of: path) {
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
