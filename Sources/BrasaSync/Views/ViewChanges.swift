internal import BrasaDocuments

/// What changed documents make of a view, before the view takes it over.
struct ViewChanges {
    var documents: DocumentSet
    var mutatedKeys: Set<ResourcePath>
    var changes = DocumentChangeSet()
    /// Documents outside the limit may have moved in: the query has to be run again.
    var needsRefill = false
    /// Acknowledged documents that are not shown before watch has come to the time of their acknowledgement.
    var withheld: [ResourcePath: Timestamp] = [:]
}

extension View {
    /// Works out what changed documents mean, without taking it over. `previous` is what a first pass gave that needed a
    /// refill; `time` is that of the server's state, if the changes come with one.
    func compute(_ changed: DocumentMap, previous: ViewChanges? = nil, at time: Timestamp = .zero) -> ViewChanges {
        var result = previous ?? ViewChanges(documents: self.documents, mutatedKeys: self.mutatedKeys)
        result.needsRefill = false
        let old = result.documents
        let edge = self.edge(of: old)
        var puts: [ResourcePath: SyncDocument?] = [:]
        for (path, candidate) in changed {
            let before = old[path]
            let after = self.query.matches(candidate) ? candidate : nil
            if let before, let after, self.isToBeWithheld(before, after, at: time) {
                result.withheld[path] = after.version
                continue
            }
            guard let change = self.change(path, from: before, to: after) else { continue }
            result.changes.track(change)
            puts.updateValue(after, forKey: path)
            if let after, self.isPending(after) {
                result.mutatedKeys.insert(path)
            } else {
                result.mutatedKeys.remove(path)
            }
            if let edge, self.opens(change, edge: edge, in: old) { result.needsRefill = true }
        }
        result.documents.apply(puts)
        self.enforceLimit(on: &result)
        return result
    }

    private func change(
        _ path: ResourcePath,
        from old: SyncDocument?,
        to new: SyncDocument?
    ) -> DocumentChange? {
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): return DocumentChange(.added, new)
        case (let old?, nil): return DocumentChange(.removed, old)
        case (let old?, let new?):
            guard old.kind == new.kind else {
                return DocumentChange(.modified, new)
            }
            // Otherwise it could never be in limbo.
            if old.hasLocalMutations, new.hasCommittedMutations { return DocumentChange(.metadata, new) }
            let wasPending = self.mutatedKeys.contains(path)
            return wasPending == self.isPending(new) ? nil : DocumentChange(.metadata, new)
        }
    }

    /// The acknowledged document is shown when watch brings it, with all that others wrote in between. When watch is past
    /// it and has not brought it, it is shown, and in limbo.
    private func isToBeWithheld(_ old: SyncDocument, _ new: SyncDocument, at time: Timestamp) -> Bool {
        old.hasLocalMutations && new.hasCommittedMutations && new.version > time
    }

    /// An acknowledged write counts only for a view that has seen it being made.
    private func isPending(_ document: SyncDocument) -> Bool {
        document.hasLocalMutations
            || document.hasCommittedMutations && self.mutatedKeys.contains(document.path)
    }

    /// The result next to those that the limit keeps out; nil when none are kept out.
    private func edge(of documents: DocumentSet) -> SyncDocument? {
        guard let limit = self.query.limit, documents.count == limit else { return nil }
        return self.query.limitType == .first ? documents.last : documents.first
    }

    /// Whether the change makes room for, or moves behind, a document that the limit kept out.
    private func opens(_ change: DocumentChange, edge: SyncDocument, in documents: DocumentSet) -> Bool {
        switch change.kind {
        case .removed: true
        case .modified:
            self.query.limitType == .first
                ? documents.precedes(edge, change.document) : documents.precedes(change.document, edge)
        case .added, .metadata: false
        }
    }

    private func enforceLimit(on result: inout ViewChanges) {
        guard let limit = self.query.limit else { return }
        for dropped in result.documents.trim(to: limit, keepingFirst: self.query.limitType == .first) {
            result.mutatedKeys.remove(dropped.path)
            result.changes.track(DocumentChange(.removed, dropped))
        }
    }
}
