import BrasaDocuments
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStatus
import BrasaStore
import BrasaTransactions
import NIOCore

/// A read that rules are asked about.
struct JudgedRead: Sendable {
    let judge: CallJudge
    let demand: RuleDemand
}

extension FirestoreService {
    /// What a call is about to do, as far as it decides who may.
    enum Access {
        case read, write
    }

    /// Whether the call goes on; if not, it is finished. With a judge it is for its rules to say what the caller may do;
    /// without one the caller may do that in the database.
    func admits<Response>(
        _ call: Call<Response>,
        to access: Access,
        _ database: DatabaseName,
        _ judge: inout CallJudge?
    ) -> Bool {
        if self.admits(call.caller, to: access, database, &judge) { return true }
        call.finish(.permissionDenied)
        return false
    }

    /// The same for calls that are finished later.
    func admits(_ caller: Caller, to access: Access, _ database: DatabaseName, _ judge: inout CallJudge?) -> Bool {
        let isAllowed =
            switch access {
            case .read: caller.mayRead(database.string)
            case .write: caller.mayWrite(database.string)
            }
        if isAllowed { return true }
        judge = self.judge(for: caller, in: database)
        return judge != nil || self.owns(caller, database)
    }

    /// Whether who shows no token may do everything in the database: in an emulator's, while it has no rules.
    func owns(_ caller: Caller, _ database: DatabaseName) -> Bool {
        if case .nobody = caller { self.rules.isOpen(database) } else { false }
    }

    /// The same for what shows and changes no document: whom some rules are about may do it.
    func admitsUnjudged<Response>(_ call: Call<Response>, to access: Access, _ database: DatabaseName) -> Bool {
        var judge: CallJudge?
        return self.admits(call, to: access, database, &judge)
    }

    /// The same for what no rule can allow; `demand` says how it is refused.
    func admitsAdministrator<Response>(
        _ call: Call<Response>,
        to access: Access,
        _ database: DatabaseName,
        else demand: RuleDemand
    ) -> Bool {
        var judge: CallJudge?
        guard self.admits(call, to: access, database, &judge) else { return false }
        guard let judge else { return true }
        let read = JudgedRead(judge: judge, demand: demand)
        return self.allows(read, in: self.database(database), at: nil, for: call)
    }

    /// Nil for those whom no rules are about: administrators, and everybody where there are none.
    func judge(for caller: Caller, in database: DatabaseName) -> CallJudge? {
        switch caller {
        case .administrator, .restricted: nil
        case .user, .nobody: self.rules.judge(for: caller, in: database)
        }
    }

    /// For streams, whose first request names the database: who may do nothing anywhere need not send one.
    func refuseStrangers<Response>(_ call: Call<Response>) {
        switch call.caller {
        case .administrator, .restricted: break
        case .user, .nobody: if !self.rules.isInUse { call.finish(.permissionDenied) }
        }
    }

    func snapshot(of database: DatabaseHandle, at time: Timestamp, isPinned: Bool = false) -> SnapshotDocuments {
        // What cannot be kept may become unknown, which denies.
        let pin = try? (isPinned ? self.store.pin(at: time, in: database) : nil)
        return SnapshotDocuments(store: self.store, database: database, time: time, pin: pin)
    }

    /// Whether the caller may read that at `time`, or now; if not, the call is finished. For reads of one step.
    func allows<Response>(
        _ read: JudgedRead?,
        in database: DatabaseHandle,
        at time: Timestamp?,
        for call: Call<Response>
    ) -> Bool {
        guard let read else { return true }
        let now = self.store.strongReadTime()
        var judgement = read.judge.judgement(
            of: read.demand,
            at: now,
            self.snapshot(of: database, at: time ?? now)
        )
        while true {
            switch judgement.turn(on: self.eventLoop) {
            case .unfinished: continue
            case .allowed: return true
            case .denied(let status):
                call.finish(status)
                return false
            }
        }
    }

    /// The same for a read in a transaction, which ends with it: its locks would keep others from what the caller may not
    /// even see. Asked before there are locks, of now, and of what was read once there are.
    func allows<Response>(
        _ read: JudgedRead?,
        in database: DatabaseHandle,
        at time: Timestamp?,
        of transaction: TransactionID,
        for call: Call<Response>
    ) -> Bool {
        if self.allows(read, in: database, at: time, for: call) { return true }
        self.abandon(transaction, in: database)
        return false
    }

    /// Carries out a commit that rules are asked about.
    func commit<Response>(
        _ order: JudgedCommit.Order,
        by judge: CallJudge,
        for call: Call<Response>,
        _ answer: @escaping (CommitResult) -> Void
    ) {
        let client: JudgedCommit.Client = { event in
            switch event {
            case .betweenSteps: break
            case .keeps(let bytes): _ = call.hold(bytes)
            case .isWithEngine(let ticket):
                self.settle(ticket, with: call)
                return true
            case .isBack:
                call.hasOpenOutcome = false
                return true
            case .ended(let outcome):
                switch outcome {
                case .committed(let result): answer(result)
                case .failed(let error): call.finish(Status(error))
                case .denied(let status): call.finish(status)
                }
                return false
            }
            // Others may have taken the room meanwhile.
            return !call.isFinished && call.hasRoom()
        }
        JudgedCommit(order, of: call.caller, by: judge, on: self, for: client).run()
    }

    func abandon(_ transaction: TransactionID, in database: DatabaseHandle) {
        self.transactions.rollback(transaction: transaction, database: database, reply: self.reply { _ in })
    }
}
