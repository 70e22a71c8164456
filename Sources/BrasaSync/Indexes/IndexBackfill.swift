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
        var new: [FieldIndex] = []
        for index in all {
            if let progress = try self.indexes.progress(of: index.id, for: self.user) {
                waiting.append((index, progress))
            } else {
                new.append(index)
            }
        }
        let beginning = try self.begin(new)
        waiting += new.map { ($0, beginning) }
        waiting.sort { ($0.progress.sequence, $0.index.id) < ($1.progress.sequence, $1.index.id) }
        var bite = Bite(documents: self.limits.documentsMax, entries: self.limits.entriesMax)
        for (index, progress) in waiting where progress.stage != .abandoned {
            if bite.isSpent { break }
            try self.advance(index, progress, &bite)
        }
        return bite.isSpent
    }

    /// Documents that are known only by overlays count as changed, the others are gone through.
    @discardableResult
    func begin(_ new: [FieldIndex]) throws(StorageError) -> IndexProgress {
        let progress = IndexProgress(
            stage: .filling(through: nil),
            lastChange: try self.indexes.lastChange(),
            sequence: 0
        )
        for index in new {
            try IndexParts(indexes: self.indexes, limits: self.limits).makeRoom(in: index, for: self.user)
            try self.indexes.setProgress(progress, of: index.id, for: self.user)
        }
        for id in Set(new.map(\.definition.collectionID)) {
            try self.indexes.noteOverlays(ofCollectionID: id, of: self.user)
        }
        return progress
    }

    /// What may still be done in this run.
    private struct Bite {
        var documents: Int
        var entries: Int

        var isSpent: Bool { self.documents <= 0 || self.entries <= 0 }
    }

    private func advance(_ index: FieldIndex, _ old: IndexProgress, _ bite: inout Bite) throws(StorageError) {
        let id = index.definition.collectionID
        var progress = old
        if case .filling(let through) = progress.stage {
            let limit = bite.documents
            let paths = try self.indexes.documentPaths(ofCollectionID: id, after: through, limit: limit)
            if let done = try self.setKeys(of: paths, in: index, &bite) {
                let isEnd = done == paths.count && done < limit
                progress.stage = isEnd ? .ready : .filling(through: paths.prefix(done).last ?? through)
            } else {
                progress.stage = .abandoned
            }
        }
        if progress.stage == .ready, !bite.isSpent {
            let changes = try self.indexes.changes(
                ofCollectionID: id,
                after: progress.lastChange,
                limit: bite.documents
            )
            if let done = try self.setKeys(of: changes.map(\.path), in: index, &bite) {
                progress.lastChange = changes.prefix(done).last?.number ?? progress.lastChange
            } else {
                progress.stage = .abandoned
            }
        }
        guard progress != old else { return }
        progress.sequence = self.tables.sequence
        try self.indexes.setProgress(progress, of: index.id, for: self.user)
    }

    /// Gives how many of the documents the bite sufficed for; nil when one has more entries than an index takes.
    private func setKeys(
        of paths: [ResourcePath],
        in index: FieldIndex,
        _ bite: inout Bite
    ) throws(StorageError) -> Int? {
        let documents = LocalDocuments(tables: self.tables, user: self.user)
        for (done, path) in paths.enumerated() {
            if bite.isSpent { return done }
            bite.documents -= 1
            guard index.definition.covers(path) else { continue }
            let document = try documents.document(at: path)
            let keys = document.isFound ? index.definition.keys(path: path, fields: document.fields) : []
            guard let keys else { return nil }
            let changed = try self.indexes.setKeys(keys, of: path, in: index.id, for: self.user)
            bite.entries -= max(keys.count, changed)
        }
        return paths.count
    }
}
