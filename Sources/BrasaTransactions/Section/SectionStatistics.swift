/// What the writer section has, and what has happened in it.
package struct TransactionStatistics: Hashable, Sendable {
    package var openTransactions = 0
    package var lockedDocuments = 0
    package var waitingRequests = 0
    /// About what the writes of those take.
    package var waitingBytes = 0
    package var happened = Happened()

    package struct Happened: Hashable, Sendable {
        package var begun = 0
        package var committed = 0
        package var rolledBack = 0
        package var failed = 0
        package var aborted = 0
        package var expired = 0
        /// Requests that found their locks taken.
        package var lockWaits = 0
        /// Those that waited too long.
        package var lockTimeouts = 0
        /// Transactions whose locks an older one took.
        package var wounded = 0

        mutating func count(_ ending: TransactionTable.Ending) {
            switch ending {
            case .committed: self.committed += 1
            case .rolledBack: self.rolledBack += 1
            case .commitFailed: self.failed += 1
            case .aborted: self.aborted += 1
            case .expired: self.expired += 1
            }
        }
    }
}

extension WriterSection {
    var statistics: TransactionStatistics {
        TransactionStatistics(
            openTransactions: self.table.openCount,
            lockedDocuments: self.locks.heldDocuments,
            waitingRequests: self.locks.waitingCount,
            waitingBytes: self.locks.waitingBytes,
            happened: self.happened
        )
    }
}

extension TransactionManager {
    /// On any thread; the section is visited for it.
    package var statistics: TransactionStatistics { self.visit { section, _ in section.statistics } }
}
