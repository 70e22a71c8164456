package import BrasaDocuments
package import BrasaRules
import Synchronization

/// The rules that a server judges users by. They are replaced as a whole; who follows them keeps the edition that it saw
/// last, and asks no more than whether there is another: for each call that is a look at a number that hardly ever changes.
package final class RuleBook: Sendable {
    /// All rules at one time.
    package final class Edition: Sendable {
        /// Where rules come from; for one database those that are named first count.
        fileprivate struct Sources {
            /// What test tools have loaded.
            var loaded: [DatabaseName: RulesInForce] = [:]
            var deployed: [DatabaseName: RulesInForce] = [:]
            var deployedForAll: RulesInForce?
            var file: RulesInForce?
        }

        /// 0: there never were any.
        package let number: Int
        fileprivate let sources: Sources
        private let own: [DatabaseName: RulesInForce]
        /// For databases without rules of their own.
        private let general: RulesInForce?

        fileprivate init(number: Int, _ sources: Sources) {
            self.number = number
            self.sources = sources
            self.own = sources.deployed.merging(sources.loaded) { _, loaded in loaded }
            self.general = sources.deployedForAll ?? sources.file
        }

        package func rules(for database: DatabaseName) -> RulesInForce? { self.own[database] ?? self.general }

        package func ruleset(for database: DatabaseName) -> Ruleset? { self.rules(for: database)?.ruleset }

        /// Whether there are others for all databases than those of the file.
        package var coversFile: Bool { self.sources.deployedForAll != nil }
    }

    /// That have rules of their own. Test tools make up the names.
    package static let databasesMax = 256

    /// Whether callers are told which statements were tried, as the emulator tells them. Elsewhere they learn nothing.
    package let explainsDenials: Bool
    private let current = Mutex(Edition(number: 0, Edition.Sources()))
    private let number = Atomic<Int>(0)
    private let isOpenElsewhere = Mutex<(@Sendable () -> Bool)?>(nil)

    package init(explainsDenials: Bool = false) {
        self.explainsDenials = explainsDenials
    }

    /// From now on who shows no token is the owner of databases without rules, as long as `isOpen` says so: an emulator's test
    /// tools load the rules of one database, and use others.
    package func openOthers(while isOpen: @escaping @Sendable () -> Bool) {
        self.isOpenElsewhere.withLock { $0 = isOpen }
    }

    package var opensOthers: Bool {
        let isOpen = self.isOpenElsewhere.withLock { $0 }
        return isOpen?() ?? false
    }

    package var edition: Edition { self.current.withLock { $0 } }

    /// Of the newest edition.
    package var editionNumber: Int { self.number.load(ordering: .acquiring) }

    /// Whether there are rules for some database.
    package var isInUse: Bool { self.editionNumber > 0 }

    /// From now on the file's rules are these.
    package func install(_ ruleset: Ruleset) {
        let rules = self.inForce(ruleset)
        self.change { $0.file = rules }
    }

    /// From now on one database is judged by these, whatever else there is for it. False when too many are.
    @discardableResult
    package func load(_ ruleset: Ruleset, for database: DatabaseName) -> Bool {
        let rules = self.inForce(ruleset)
        return self.change { sources in
            guard sources.loaded[database] != nil || sources.loaded.count < Self.databasesMax else { return false }
            sources.loaded[database] = rules
            return true
        }
    }

    /// From now on these were deployed, and no others: for all databases, and for some of their own.
    package func deploy(_ general: Ruleset?, _ own: [DatabaseName: Ruleset]) {
        let (general, own) = (general.map(self.inForce), own.mapValues(self.inForce))
        self.change { sources in
            sources.deployedForAll = general
            sources.deployed = own
        }
    }

    private func inForce(_ ruleset: Ruleset) -> RulesInForce {
        RulesInForce(ruleset, isExplained: self.explainsDenials)
    }

    /// For calls that come from now on.
    private func change<Outcome>(_ change: (inout Edition.Sources) -> Outcome) -> Outcome {
        self.current.withLock { edition in
            var sources = edition.sources
            let outcome = change(&sources)
            edition = Edition(number: edition.number + 1, sources)
            self.number.store(edition.number, ordering: .releasing)
            return outcome
        }
    }
}
