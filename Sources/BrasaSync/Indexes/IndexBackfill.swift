internal import BrasaDocuments
internal import BrasaQueries

/// Brings a user's entries up to date, a few documents at a time, and frees what is no longer needed.
struct IndexBackfill {
    enum Outcome {
        case noIndexes, upToDate, more
    }

    let tables: any StorageTables
    let indexes: any IndexTables
    let user: SyncUser
    let limits: IndexLimits

    func run() throws(StorageError) -> Outcome {
        let all = try self.indexes.fieldIndexes()
        let isBehind = try self.advance(all)
        let forgotten = try self.indexes.forget(countMax: self.limits.forgottenMax)
        if isBehind || forgotten == self.limits.forgottenMax { return .more }
        return all.isEmpty ? .noIndexes : .upToDate
    }

    /// Each index in turn, those first that have waited for the longest. Gives whether there is more to do.
    private func advance(_ all: [FieldIndex]) throws(StorageError) -> Bool {
        var waiting: [(index: FieldIndex, progress: IndexProgress)] = []
        for index in all {
            if let progress = try self.indexes.progress(of: index.id, for: self.user) {
                waiting.append((index, progress))
            } else {
                waiting.append((index, try self.begin(index)))
            }
        }
        var budget = self.limits.documentsMax
        waiting.sort { ($0.progress.sequence, $0.index.id) < ($1.progress.sequence, $1.index.id) }
        for (index, progress) in waiting where progress.stage != .abandoned {
            if budget == 0 { break }
            budget -= try self.advance(index, progress, budget)
        }
        return budget == 0
    }

    /// Documents that are known only by overlays count as changed, the others are gone through.
    @discardableResult
    func begin(_ index: FieldIndex) throws(StorageError) -> IndexProgress {
        try IndexParts(indexes: self.indexes, limits: self.limits).makeRoom(in: index, for: self.user)
        let progress = IndexProgress(
            stage: .filling(through: nil),
            lastChange: try self.indexes.lastChange(),
            sequence: 0
        )
        try self.indexes.noteOverlays(ofCollectionID: index.definition.collectionID, of: self.user)
        try self.indexes.setProgress(progress, of: index.id, for: self.user)
        return progress
    }

    /// Gives how many documents were looked at.
    private func advance(
        _ index: FieldIndex,
        _ old: IndexProgress,
        _ budget: Int
    ) throws(StorageError) -> Int {
        let id = index.definition.collectionID
        var progress = old
        var count = 0
        if case .filling(let through) = progress.stage {
            let paths = try self.indexes.documentPaths(ofCollectionID: id, after: through, limit: budget)
            count = paths.count
            progress.stage = count < budget ? .ready : .filling(through: paths.last)
            try self.setKeys(of: paths, in: index, &progress)
        }
        if progress.stage == .ready, count < budget {
            let changes = try self.indexes.changes(
                ofCollectionID: id,
                after: progress.lastChange,
                limit: budget - count
            )
            count += changes.count
            if let last = changes.last { progress.lastChange = last.number }
            try self.setKeys(of: changes.map(\.path), in: index, &progress)
        }
        guard progress != old else { return count }
        progress.sequence = self.tables.sequence
        try self.indexes.setProgress(progress, of: index.id, for: self.user)
        return count
    }

    private func setKeys(
        of paths: [ResourcePath],
        in index: FieldIndex,
        _ progress: inout IndexProgress
    ) throws(StorageError) {
        let documents = LocalDocuments(tables: self.tables, user: self.user)
        for path in paths where index.definition.covers(path) {
            let document = try documents.document(at: path)
            let keys = document.isFound ? index.definition.keys(path: path, fields: document.fields) : []
            guard let keys else {
                progress.stage = .abandoned
                return
            }
            try self.indexes.setKeys(keys, of: path, in: index.id, for: self.user)
        }
    }
}
