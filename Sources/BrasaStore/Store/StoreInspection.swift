package import BrasaDocuments
package import BrasaLog
package import BrasaPlatform

/// What a data folder holds that no server uses, found by reading all of it.
package struct StoreInspection: Sendable {
    package struct Database: Sendable {
        package let name: DatabaseName
        package let documents: Int
        package let fieldBytes: Int
    }

    package let log: LogReport
    /// Those with documents, in the order of their names; none when the log is not usable.
    package let databases: [Database]
    /// Nil when the folder holds no store.
    package let creationTime: Timestamp?
}

extension Store {
    /// Reads a folder as a start would, without changing it. Throws for what keeps it from looking; damage is in the
    /// report.
    package static func inspect(disk: any Disk, directory: String) throws(StoreError) -> StoreInspection {
        let configuration = Configuration(history: .zero, historyBytesMax: 0, recentChangesMax: 0)
        let documents = VersionedDocuments(configuration: configuration, entropy: .system)
        var recovery = Recovery(into: documents)
        let report: LogReport
        do throws(LogError) {
            report = try LogInspector.check(disk: disk, directory: directory) { (entry) throws(LogRejection) in
                try recovery.read(entry)
            }
        } catch {
            throw StoreError(.unrecoverable, cause: error)
        }
        recovery.finish()
        let databases = documents.registry.all.map { database in
            let counts = database.counts
            return StoreInspection.Database(
                name: database.name,
                documents: counts.documents,
                fieldBytes: counts.fieldBytes
            )
        }
        return StoreInspection(
            log: report,
            databases: report.isUsable ? databases.filter { $0.documents > 0 } : [],
            creationTime: recovery.creationTime.map { Timestamp(microseconds: $0) }
        )
    }
}
