import BrasaDocuments
import BrasaMessages
import BrasaRules
import BrasaStatus
import BrasaStore
import NIOCore

/// Judges what one call asks for, by the rules of the moment at which it came. Administrators' calls have none.
final class CallJudge: Sendable {
    private let rules: RulesInForce
    let edition: Int
    /// Its id alone, as rules see it.
    private let database: UTF8Text
    private let auth: RuleAuth?

    init(_ rules: RulesInForce, edition: Int, database: UTF8Text, auth: RuleAuth?) {
        self.rules = rules
        self.edition = edition
        self.database = database
        self.auth = auth
    }

    /// Looks for statements that are about these writes, as far as one turn goes, and gives those that are left; nil when there
    /// is none about one of them, so that it is denied whatever is stored.
    func covered(_ writes: ArraySlice<RuleWrite>, on eventLoop: any EventLoop) -> ArraySlice<RuleWrite>? {
        // It has to tell what was tried.
        guard self.rules.tally == nil else { return [] }
        let start = eventLoop.now
        var rest = writes
        for _ in 0..<JudgingTurn.stepsMax {
            guard let write = rest.popFirst() else { break }
            guard self.rules.ruleset.covers(write, in: self.database) else { return nil }
            guard eventLoop.now - start < JudgingTurn.timeMax else { break }
        }
        return rest
    }

    /// - Parameter time: what rules see as `request.time`.
    func judgement(
        of demand: RuleDemand,
        at time: Timestamp,
        _ documents: any RuleDocuments
    ) -> Judgement {
        let caller = RuleCaller(database: self.database, auth: self.auth, time: time)
        return Judgement(
            RuleReview(demand, by: caller, under: self.rules.ruleset, documents),
            tally: self.rules.tally
        )
    }
}

/// The way to one decision, document by document.
struct Judgement {
    enum Progress {
        case unfinished
        case allowed
        case denied(Status)
    }

    private var review: RuleReview
    /// With one the caller is told which statements were tried.
    private let tally: RuleTally?

    init(_ review: RuleReview, tally: RuleTally?) {
        self.review = review
        self.tally = tally
    }

    /// The documents before the call that were looked at so far.
    var reads: [ResourcePath] { self.review.reads }

    /// As much as may be done before other calls have their turn.
    mutating func turn(on eventLoop: any EventLoop) -> Progress {
        let start = eventLoop.now
        for _ in 0..<JudgingTurn.stepsMax {
            let progress = self.step()
            guard case .unfinished = progress else { return progress }
            guard eventLoop.now - start < JudgingTurn.timeMax else { break }
        }
        return .unfinished
    }

    private mutating func step() -> Progress {
        var text: String?
        if let tally {
            if let explanation = self.review.explainStep() {
                tally.add(explanation)
                if !explanation.isAllowed { text = String(explanation.denialMessage.prefix(JudgingTurn.textMax)) }
            }
        } else {
            _ = self.review.step()
        }
        switch self.review.progress {
        case .unfinished: return .unfinished
        case .allowed: return .allowed
        case .denied: return .denied(Status(.permissionDenied, text ?? self.review.denialMessage))
        }
    }
}

private enum JudgingTurn {
    static let stepsMax = 64
    /// A step takes no longer than its own limits allow, some tenths of a millisecond.
    static let timeMax: TimeAmount = .microseconds(300)
    /// It travels in a header.
    static let textMax = 2_048
}

/// The documents of a database at one time. An object, since a review would box it anyway.
final class SnapshotDocuments: RuleDocuments {
    private let store: Store
    private let database: DatabaseHandle
    private let time: Timestamp
    /// Keeps the state, for whoever asks in more than one turn of the loop.
    private let pin: SnapshotPin?

    init(store: Store, database: DatabaseHandle, time: Timestamp, pin: SnapshotPin?) {
        (self.store, self.database, self.time, self.pin) = (store, database, time, pin)
    }

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        do throws(StoreError) {
            let document = try self.store.get(path, in: self.database, at: self.time)
            return document.map { .fields($0.fields) } ?? .missing
        } catch {
            return .unknown
        }
    }
}
