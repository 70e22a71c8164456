import BrasaDocuments
import BrasaPlatform
import BrasaRules
import BrasaService
import Synchronization

/// The rules that were deployed, as a server follows them.
final class DeployedRules: Sendable {
    private struct State {
        /// The list that was taken up; nil: there was none.
        var bytes: [UInt8]?
        var rulesets: [String: Ruleset] = [:]
        var warnings: [String: [String]] = [:]
        /// Told once.
        var failure: RuleReload.Failure?
    }

    private let store: RuleDeploymentStore
    private let book: RuleBook
    private let state = Mutex(State())

    init(_ store: RuleDeploymentStore, book: RuleBook) {
        self.store = store
        self.book = book
    }

    /// Takes up what was deployed since, all of it or nothing.
    func reload() -> RuleReload {
        self.state.withLock { state -> RuleReload in
            do throws(RuleReload.Failure) {
                guard let next = try self.next(state) else { return .unchanged }
                let known = Set(state.rulesets.keys)
                state = next
                return .changed(warnings: next.warnings.filter { !known.contains($0.key) }.flatMap(\.value))
            } catch {
                // It is tried again: the next look may find the disk in order.
                guard state.failure != error else { return .unchanged }
                state.failure = error
                return .failed(error)
            }
        }
    }

    private func next(_ state: State) throws(RuleReload.Failure) -> State? {
        do throws(RuleDeploymentError) {
            let bytes = try self.store.bytes()
            guard bytes != state.bytes else { return nil }
            guard bytes != nil else { throw RuleDeploymentError.gone }
            var next = State(bytes: bytes)
            var (general, own): (Ruleset?, [DatabaseName: Ruleset]) = (nil, [:])
            for deployment in try self.store.deployments(in: bytes).current {
                guard let digest = deployment.digest else { continue }
                let ruleset: Ruleset
                if let known = state.rulesets[digest] ?? next.rulesets[digest] {
                    ruleset = known
                } else {
                    ruleset = try self.compile(digest, &next)
                }
                next.rulesets[digest] = ruleset
                if let database = deployment.database { own[database] = ruleset } else { general = ruleset }
            }
            self.book.deploy(general, own)
            return next
        } catch {
            throw RuleReload.Failure(description: error.description)
        }
    }

    private func compile(_ digest: String, _ state: inout State) throws(RuleDeploymentError) -> Ruleset {
        let compilation = Ruleset.compile(try self.store.text(digest))
        // Another version of the program has taken it.
        guard let ruleset = compilation.ruleset else { throw .damaged(path: self.store.path(of: digest)) }
        state.warnings[digest] = compilation.diagnostics.map { $0.located(in: self.store.path(of: digest)) }
        return ruleset
    }
}
