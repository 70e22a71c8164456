package import BrasaDocuments
package import BrasaLog
package import BrasaPlatform
import BrasaTree

/// What a data folder holds that no server uses, found by reading all of it.
package struct StoreInspection: Sendable {
    package struct Database: Sendable {
        package let name: DatabaseName
        package let documents: Int
        package let fieldBytes: Int
    }

    package struct Tree: Sendable {
        package let name: TreeNamespace
        package let nodes: Int
        /// About, as JSON.
        package let textBytes: Int
    }

    package let log: LogReport
    /// Those with documents, in the order of their names; none when the log is not usable.
    package let databases: [Database]
    /// In the order of their names; none when the log is not usable.
    package let trees: [Tree]
    /// Sessions that were open, and what they leave, which the next start writes.
    package let wills: (sessions: Int, places: Int)
    /// Nil when the folder holds no store.
    package let creationTime: Timestamp?
}

extension Store {
    /// Reads a folder as a start would, without changing it. Throws for what keeps it from looking; damage is in the
    /// report.
    package static func inspect(disk: any Disk, directory: String) throws(StoreError) -> StoreInspection {
        let configuration = Configuration(
            history: .zero,
            historyBytesMax: 0,
            recentChangesMax: 0,
            recentTreeStepsMax: 0
        )
        var recovery = Recovery(configuration: configuration, entropy: .system)
        var report: LogReport
        do throws(LogError) {
            report = try LogInspector.check(disk: disk, directory: directory) { (entry) throws(LogRejection) in
                try recovery.read(entry)
            }
        } catch {
            throw StoreError(.unrecoverable, cause: error)
        }
        do throws(LogRejection) {
            try recovery.finish()
        } catch {
            report.damage.append(LogError(.rejected, detail: error.reason))
            report.isUsable = false
        }
        let databases = recovery.documents.registry.all.map { database in
            let counts = database.counts
            return StoreInspection.Database(
                name: database.name,
                documents: counts.documents,
                fieldBytes: counts.fieldBytes
            )
        }
        let wills = recovery.trees.wills.all(at: { .max }).wills
        return StoreInspection(
            log: report,
            databases: report.isUsable ? databases.filter { $0.documents > 0 } : [],
            trees: report.isUsable ? recovery.trees.all.compactMap(StoreInspection.Tree.init) : [],
            wills: report.isUsable ? (wills.count, wills.reduce(0) { $0 + $1.will.queue.count }) : (0, 0),
            creationTime: recovery.creationTime.map { Timestamp(microseconds: $0) }
        )
    }
}

extension StoreInspection.Tree {
    /// Nil when there is nothing in it.
    fileprivate init?(_ tree: TreeHandle) {
        let root = tree.newest.root
        guard !root.isAbsent else { return nil }
        self.init(name: tree.name, nodes: root.nodeCount, textBytes: root.estimate)
    }
}
