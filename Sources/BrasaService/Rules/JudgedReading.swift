import BrasaDocuments
import BrasaMessages
import BrasaRules
import BrasaStatus
import BrasaStore
import NIOCore

/// A read of many documents that rules are asked about, in turns of the loop, whether its client takes anything or not.
///
/// Unchecked, because all of it is used on the call's event loop only.
final class JudgedReading: @unchecked Sendable {
    enum Outcome {
        case allowed, denied
        /// The call has ended before.
        case unwanted
    }

    private let eventLoop: any EventLoop
    private let turns: LoopTurns
    private let isWanted: () -> Bool
    private let deny: (Status) -> Void
    private let done: (Outcome) -> Void
    /// All of them have to allow it.
    private var judgements: [Judgement]

    fileprivate init<Response>(
        _ judgements: [Judgement],
        for call: Call<Response>,
        on service: FirestoreService,
        _ done: @escaping (Outcome) -> Void
    ) {
        self.judgements = judgements
        self.eventLoop = service.eventLoop
        self.turns = service.turns
        self.isWanted = { !call.isFinished }
        self.deny = { call.finish($0) }
        self.done = done
    }

    fileprivate func run() {
        guard self.isWanted() else { return self.done(.unwanted) }
        guard var judgement = self.judgements.popLast() else { return self.done(.allowed) }
        switch judgement.turn(on: self.eventLoop) {
        case .denied(let status):
            self.deny(status)
            return self.done(.denied)
        case .allowed:
            if self.judgements.isEmpty { return self.done(.allowed) }
        case .unfinished:
            self.judgements.append(judgement)
        }
        self.turns.next { self.run() }
    }
}

extension FirestoreService {
    /// Decides about all documents of a read before anything is said of one; each of these states has to allow it. A call that
    /// is denied is finished. Calls `done` once, now or later.
    func judge<Response>(
        _ read: JudgedRead,
        in database: DatabaseHandle,
        at times: [Timestamp],
        for call: Call<Response>,
        _ done: @escaping (JudgedReading.Outcome) -> Void
    ) {
        let now = self.store.strongReadTime()
        let judgements = times.map { time in
            read.judge.judgement(
                of: read.demand,
                at: now,
                self.snapshot(of: database, at: time, isPinned: true)
            )
        }
        JudgedReading(judgements, for: call, on: self, done).run()
    }
}
