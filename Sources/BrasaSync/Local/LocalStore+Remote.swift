internal import BrasaDocuments

extension LocalStore {
    func lastRemoteSnapshotVersion() throws(StorageError) -> Timestamp {
        try self.storage.transaction(.lastRemoteSnapshotVersion) { tables throws(StorageError) in
            try tables.lastRemoteSnapshotVersion()
        }
    }

    /// Gives the user's view of the documents that changed.
    func apply(_ event: RemoteEvent) throws(StorageError) -> DocumentMap {
        var newData: [TargetData] = []
        let writesSharedToken = self.isSharedTokenOld(at: event)
        let changed = try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) -> DocumentMap in
            for (id, change) in event.targetChanges {
                guard let old = self.targetData[id] else { continue }
                try tables.removeRemoteKeys(change.removed, from: id)
                try tables.addRemoteKeys(change.added, to: id)
                let new = old.updated(by: change, of: event, sequence: tables.sequence)
                newData.append(new)
                if new.isWorthStoring(after: old, change) || event.mismatches[id] != nil {
                    try tables.setTargetData(new)
                }
            }
            if writesSharedToken {
                for data in self.targetData.following where event.targetChanges[data.id] == nil {
                    try tables.setTargetData(data)
                }
            }
            for path in event.resolvedLimbo where event.documentUpdates[path] != nil {
                try tables.noteUse(of: path)
            }
            let views = try self.store(event.documentUpdates, in: tables)
            if event.snapshotVersion != .zero {
                try tables.setLastRemoteSnapshotVersion(event.snapshotVersion)
            }
            return views
        }
        self.targetData.advance(event, changed: newData)
        if writesSharedToken { self.sharedTokenTime = event.snapshotVersion }
        return changed
    }

    private func isSharedTokenOld(at event: RemoteEvent) -> Bool {
        guard !event.sharedToken.isEmpty else { return false }
        return event.snapshotVersion.microseconds - self.sharedTokenTime.microseconds >= TargetData.tokenAgeMax
    }

    /// Takes over what is newer than the cache, and gives the user's view of that.
    func store(_ updates: DocumentMap, in tables: any StorageTables) throws(StorageError) -> DocumentMap {
        var changed: DocumentMap = [:]
        var existenceChanged: Set<ResourcePath> = []
        for (path, document) in updates {
            let old = try tables.document(at: path)
            guard try self.store(document, over: old, in: tables) else { continue }
            changed[path] = document
            if old.isFound != document.isFound { existenceChanged.insert(path) }
        }
        return try self.documents(tables).views(of: changed, existenceChanged: existenceChanged)
    }

    /// Takes over one document in the place of what the cache has, unless that is as new.
    func store(
        _ document: SyncDocument,
        over old: SyncDocument,
        in tables: any StorageTables
    ) throws(StorageError) -> Bool {
        if document.kind == .missing, document.version == .zero {
            try tables.removeDocument(at: document.path)
        } else if !old.isValid || document.version > old.version
            || document.version == old.version && old.hasPendingWrites
        {
            try tables.setDocument(document)
        } else {
            return false
        }
        return true
    }
}

extension TargetData {
    /// A token that is older than this is written down with the next event, whatever the event is.
    fileprivate static let tokenAgeMax: Int64 = 300_000_000

    fileprivate func updated(
        by change: TargetChange,
        of event: RemoteEvent,
        sequence: SequenceNumber
    ) -> TargetData {
        var data = self
        data.sequence = sequence
        if event.mismatches[self.id] != nil {
            data.resume(at: .zero, token: [])
            data.lastLimboFreeVersion = .zero
        } else if !change.resumeToken.isEmpty {
            data.resume(at: event.snapshotVersion, token: change.resumeToken)
        }
        return data
    }

    /// After a crash an older token is as right as the newest, only slower.
    fileprivate func isWorthStoring(after old: TargetData, _ change: TargetChange) -> Bool {
        if old.resumeToken.isEmpty { return true }
        if self.snapshotVersion.microseconds - old.snapshotVersion.microseconds >= Self.tokenAgeMax { return true }
        return !(change.added.isEmpty && change.modified.isEmpty && change.removed.isEmpty)
    }
}
