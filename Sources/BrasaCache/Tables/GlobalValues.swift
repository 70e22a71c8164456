internal import BrasaCacheFile
internal import BrasaDocuments
internal import BrasaSync

/// Single numbers, kept in memory between transactions.
final class GlobalValues {
    private let connection: CacheConnection
    private let get, set: TableStatement

    /// Of the running transaction.
    private(set) var sequence: SequenceNumber = 0
    /// Sequence numbers below this are written down as taken.
    private var sequenceEnd: SequenceNumber?
    private var remoteVersion: Timestamp?

    /// Numbers that are taken at a time, so that not every transaction has something to write.
    private static let sequenceBlock: SequenceNumber = 1000

    private enum Name: String {
        case sequenceEnd, lastTargetID, lastRemoteSnapshotVersion
    }

    init(_ connection: CacheConnection) throws(SQLiteError) {
        self.connection = connection
        self.get = try connection.statement("SELECT value FROM globals WHERE name = CAST(? AS TEXT)")
        self.set = try connection.statement("INSERT OR REPLACE INTO globals VALUES (CAST(? AS TEXT), ?)")
    }

    /// After a transaction that was rolled back.
    func forget() {
        self.sequenceEnd = nil
        self.remoteVersion = nil
    }

    func nextSequence() throws(StorageError) {
        if self.sequenceEnd != nil {
            self.sequence &+= 1
        } else {
            let end = try self.value(.sequenceEnd) ?? 1
            self.sequenceEnd = end
            self.sequence = max(end, self.sequence &+ 1)
        }
    }

    /// In a transaction that stores something, and with it perhaps its number.
    func takeSequence() throws(StorageError) {
        guard let end = self.sequenceEnd, self.sequence >= end else { return }
        try self.setValue(.sequenceEnd, self.sequence &+ Self.sequenceBlock)
        self.sequenceEnd = self.sequence &+ Self.sequenceBlock
    }

    func allocateTargetID() throws(StorageError) -> TargetID {
        let id = (try self.value(.lastTargetID) ?? 0) &+ 2
        try self.setValue(.lastTargetID, id)
        return id
    }

    func lastRemoteSnapshotVersion() throws(StorageError) -> Timestamp {
        if let remoteVersion { return remoteVersion }
        let version = try self.connection.time(try self.value(.lastRemoteSnapshotVersion) ?? 0)
        self.remoteVersion = version
        return version
    }

    func setLastRemoteSnapshotVersion(_ version: Timestamp) throws(StorageError) {
        guard version > (try self.lastRemoteSnapshotVersion()) else { return }
        try self.setValue(.lastRemoteSnapshotVersion, version.microseconds)
        self.remoteVersion = version
    }

    private func value(_ name: Name) throws(StorageError) -> Int64? {
        try self.get.first(.blob(Array(name.rawValue.utf8))) { $0.integer(0) }
    }

    private func setValue(_ name: Name, _ value: Int64) throws(StorageError) {
        try self.set.run(.blob(Array(name.rawValue.utf8)), .integer(value))
    }
}
