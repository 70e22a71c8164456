import BrasaDocuments
import BrasaRules
import BrasaStore
import BrasaTransactions

/// A commit of somebody whom rules are asked about, as the service makes it: worked out on the documents as they are, judged
/// by a rule that reads another one, and carried out if all of that still stands; if not, all of it is done again.
final class RuledCommit: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private static let roundsMax = 4
    /// Whoever writes it decides who may write the others, and everybody does.
    static let guarding = ModelWorld.shared.count - 1
    private static let guarded = 0..<4

    private static let rules: Ruleset? = Ruleset.compile(
        """
        rules_version = '2';
        service cloud.firestore { match /databases/{database}/documents {
          match /a/{id} {
            function guarding() { return /databases/$(database)/documents/\(ModelWorld.names[guarding]); }
            allow write: if !exists(guarding()) || get(guarding()).data.n % 2 == 0;
          }
        } }
        """
    ).ruleset

    /// The same in the model.
    static func allows(_ guarding: ModelDocument?) -> Bool { guarding.map { $0.number % 2 == 0 } ?? true }

    private let client: SimulatedClient
    private let writes: [ModelWrite]
    private let forgetsReads: Bool

    /// - Parameter forgetsReads: what rules read is not among what the commit rests on, which the checker must notice.
    init(_ client: SimulatedClient, forgetsReads: Bool) {
        self.client = client
        self.writes = client.randomWrites([Self.guarded.lowerBound + client.random(Self.guarded.count)])
        self.forgetsReads = forgetsReads
    }

    private var transactions: TransactionManager { self.client.server.transactions }

    func run(round: Int = 0) throws {
        let database = self.client.simulation.database
        // What contradicts itself in every state is refused without a judgement.
        guard let prospect = try? self.transactions.prospect(of: self.requests(), in: database) else {
            return self.client.finish()
        }
        let apart = self.forgetsReads ? try? self.transactions.prospect(of: self.requests(), in: database) : nil
        let documents = RuledDocuments(prospect, apart: apart)
        // Others have their turn between all of these.
        self.client.pause {
            guard try self.isAllowed(documents) else { return self.client.finish() }
            self.client.pause { try self.submit(documents.prospect, round) }
        }
    }

    private func requests() -> [Write] { self.writes.map { $0.write(in: self.client.simulation.database.name) } }

    private func isAllowed(_ documents: RuledDocuments) throws -> Bool {
        guard let rules = Self.rules else { throw SimulationFailure(.rules, "they do not compile") }
        let writes = self.requests().map { write in
            switch write.operation {
            case .set, .merge: RuleWrite(.set, write.name.path)
            case .delete: RuleWrite(.delete, write.name.path)
            case .verify: RuleWrite(.verify, write.name.path)
            }
        }
        let caller = RuleCaller(
            database: self.client.simulation.database.name.database,
            auth: nil,
            time: documents.prospect.time
        )
        var review = RuleReview(.commit(writes), by: caller, under: rules, documents)
        return review.finish()
    }

    private func submit(_ prospect: CommitProspect, _ round: Int) throws {
        self.client.commit(self.writes, judgedOn: prospect) { error in
            if case .outdated = error, round + 1 < Self.roundsMax { return try self.run(round: round + 1) }
            self.client.finish()
        }
    }
}

/// The documents before and after a commit that is judged.
private final class RuledDocuments: RuleDocuments, @unchecked Sendable {
    let prospect: CommitProspect
    /// Where what rules read is looked up instead.
    private let apart: CommitProspect?

    init(_ prospect: CommitProspect, apart: CommitProspect?) {
        self.prospect = prospect
        self.apart = apart
    }

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        if !after, let apart = self.apart, path == ModelWorld.paths[RuledCommit.guarding] {
            return apart.document(path).map { .fields($0.fields) } ?? .missing
        }
        guard after else { return self.prospect.document(path).map { .fields($0.fields) } ?? .missing }
        return switch self.prospect.future(of: path) {
        case .fields(let fields): .fields(fields)
        case .missing: .missing
        case .unknown: .unknown
        }
    }
}
