internal import BrasaDocuments

/// What changed documents make of a view, before the view takes it over.
struct ViewChanges {
    var documents: DocumentSet
    var mutatedKeys: Set<ResourcePath>
    var changes = DocumentChangeSet()
    /// Documents outside the limit may have moved in: the query has to be run again.
    var needsRefill = false
}

extension View {
    /// Works out what changed documents mean, without taking it over. `previous` is what a first pass gave that needed a
    /// refill.
    func compute(_ changed: DocumentMap, previous: ViewChanges? = nil) -> ViewChanges {
        var result = previous ?? ViewChanges(documents: self.documents, mutatedKeys: self.mutatedKeys)
        result.needsRefill = false
        let old = result.documents
        let edge = self.edge(of: old)
        var puts: [ResourcePath: SyncDocument?] = [:]
        for (path, candidate) in changed {
            let before = old[path]
            let after = self.query.matches(candidate) ? candidate : nil
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
                // The acknowledged document is shown when watch brings it, with all that others wrote in between.
                if old.hasLocalMutations, new.hasCommittedMutations { return nil }
                return DocumentChange(.modified, new)
            }
            let wasPending = self.mutatedKeys.contains(path)
            return wasPending == self.isPending(new) ? nil : DocumentChange(.metadata, new)
        }
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
