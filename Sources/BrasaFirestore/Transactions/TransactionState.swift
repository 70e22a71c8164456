internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync

/// What one run of a transaction has read and will write. Nothing is locked: the commit asks that what was read is
/// unchanged.
struct TransactionState: Sendable {
    private var versions: [ResourcePath: StoredDocument.Version] = [:]
    private var writes: [Write] = []
    private var written: Set<ResourcePath> = []
    /// Why the commit will fail whatever the server says.
    private var failure: SyncError?
    private(set) var isEnded = false

    func checkMayRead() throws(SyncError) {
        try self.checkMayBeUsed()
        guard self.writes.isEmpty else {
            throw SyncError(.invalidArgument, "Transactions require all reads to be done before all writes.")
        }
    }

    func checkMayBeUsed() throws(SyncError) {
        guard !self.isEnded else {
            throw SyncError(.failedPrecondition, "A transaction cannot be used after its block has returned.")
        }
    }

    /// Of two versions neither can be committed upon, also when the block goes on in spite of the error.
    mutating func read(_ path: ResourcePath, _ version: StoredDocument.Version) throws(SyncError) {
        guard let known = self.versions[path] else {
            self.versions[path] = version
            return
        }
        guard known == version else {
            let error = SyncError(.aborted, "The document '\(path)' was changed between two reads.")
            self.fail(error)
            throw error
        }
    }

    /// Adds what the reads ask of the first write to each document.
    mutating func add(_ write: Write) {
        var write = write
        let path = write.name.path
        let isFirst = self.written.insert(path).inserted
        switch (isFirst ? self.versions[path] : nil, write.precondition) {
        case (nil, _): break
        case (.at(let time)?, _): write.precondition = .updateTime(time)
        case (.missing?, nil): write.precondition = .exists(false)
        case (.missing?, _?):
            let text = "The document '\(path)', which does not exist, cannot be updated."
            self.fail(SyncError(.invalidArgument, text))
        }
        self.writes.append(write)
    }

    /// The commit will fail, with the first reason that there was.
    mutating func fail(_ error: SyncError) { self.failure = self.failure ?? error }

    /// All that is to be committed; empty when nothing was read or written.
    mutating func end(in database: DatabaseName) throws(SyncError) -> [Write] {
        self.isEnded = true
        if let failure = self.failure { throw failure }
        let verified = self.versions.filter { !self.written.contains($0.key) }.sorted { $0.key < $1.key }
        return self.writes
            + verified.compactMap { path, version in
                guard let name = DocumentName(database: database, path: path) else { return nil }
                let precondition: Precondition =
                    switch version {
                    case .missing: .exists(false)
                    case .at(let time): .updateTime(time)
                    }
                return Write(name: name, operation: .verify, precondition: precondition)
            }
    }

    mutating func abandon() { self.isEnded = true }
}
