internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

/// The tables of `DiskStorage` in the running transaction.
final class DiskTables: StorageTables {
    let database: DatabaseName
    let connection: CacheConnection
    let globals: GlobalValues
    let names: InternedNames
    let documentStatements: DocumentStatements
    let queueStatements: QueueStatements
    let overlayStatements: OverlayStatements
    let targetStatements: TargetStatements
    let bundleStatements: BundleStatements
    let collectorStatements: CollectorStatements
    let indexStatements: IndexStatements
    let indexEntryStatements: IndexEntryStatements
    let indexPartStatements: IndexPartStatements
    private let transactionStatements: TransactionStatements
    /// When the transaction began.
    private var totalChanges = 0
    /// Nil: not loaded.
    var knownIndexes: KnownIndexes?
    var indexOwners: [IndexOwner: Int64] = [:]

    private struct TransactionStatements {
        let begin, commit, rollBack: TableStatement
    }

    init(_ connection: CacheConnection, _ database: DatabaseName) throws(SQLiteError) {
        self.connection = connection
        self.database = database
        self.globals = try GlobalValues(connection)
        self.names = try InternedNames(connection)
        self.documentStatements = try DocumentStatements(connection)
        self.queueStatements = try QueueStatements(connection)
        self.overlayStatements = try OverlayStatements(connection)
        self.targetStatements = try TargetStatements(connection)
        self.bundleStatements = try BundleStatements(connection)
        self.collectorStatements = try CollectorStatements(connection)
        self.indexStatements = try IndexStatements(connection)
        self.indexEntryStatements = try IndexEntryStatements(connection)
        self.indexPartStatements = try IndexPartStatements(connection)
        self.transactionStatements = TransactionStatements(
            begin: try connection.statement("BEGIN"),
            commit: try connection.statement("COMMIT"),
            rollBack: try connection.statement("ROLLBACK")
        )
    }

    var sequence: SequenceNumber { self.globals.sequence }

    var indexes: (any IndexTables)? { self }

    func begin() throws(StorageError) {
        try self.transactionStatements.begin.run()
        self.totalChanges = self.connection.file.totalChanges
        do throws(StorageError) {
            try self.globals.nextSequence()
        } catch {
            self.rollBack()
            throw error
        }
    }

    /// Whether the transaction has changed anything so far.
    var hasChanges: Bool { self.connection.file.totalChanges != self.totalChanges }

    func commit() throws(StorageError) {
        if self.hasChanges { try self.globals.takeSequence() }
        try self.transactionStatements.commit.run()
    }

    /// SQLite may have done it already.
    func rollBack() {
        if self.connection.file.isInTransaction { _ = try? self.transactionStatements.rollBack.run() }
        self.globals.forget()
        self.names.forget()
        self.knownIndexes = nil
        self.indexOwners = [:]
    }

    /// What was stored cannot be read back.
    func damage(_ what: String) -> StorageError {
        StorageError(self.connection.operation, damaged: what)
    }
}
