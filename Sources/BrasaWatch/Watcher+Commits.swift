import BrasaDocuments
import BrasaQueries
import BrasaStore

/// The first part of a turn: the watcher goes on to the watermark, and live streams with it.
extension Watcher {
    private static let fetchMax = 256
    private static let mergedMax = 1_024

    private var isBehind: Bool { if case .behind = self.course { true } else { false } }

    func takeCommits() {
        var changesLeft = self.configuration.turnChangesMax
        while true {
            let watermark = self.store.watermark
            let limit = self.isBehind ? Self.mergedMax : Self.fetchMax
            guard let changes = self.store.changes(after: self.position, in: self.databases, limit: limit) else {
                return self.jump(to: watermark)
            }
            do throws(StoreError) {
                try self.take(changes)
            } catch {
                return self.jump(to: self.store.watermark)
            }
            if self.isInLargeStep { return }
            // None after these, up to the watermark as it was before they were asked for.
            if changes.count < limit, changes.last.map({ $0.time <= self.position }) ?? true {
                self.position = max(self.position, watermark)
                self.course = .upToDate
                return
            }
            changesLeft -= changes.count
            if changesLeft <= 0 || self.turn.eventsLeft <= 0 {
                self.course = .behind
                return
            }
        }
    }

    /// Commit by commit while the turn allows it; as one when the watcher has fallen behind, so that it catches up: the
    /// states between are then told to nobody.
    private func take(_ changes: [Change]) throws(StoreError) {
        guard let last = changes.last else { return }
        if self.isBehind, changes[0].time != last.time {
            self.values.snapshotsCoalesced += 1
            return try self.take(changes[...], to: last.time, isMerged: true)
        }
        var rest = changes[...]
        while let first = rest.first, self.turn.eventsLeft > 0, !self.isInLargeStep {
            let commit = rest.prefix { $0.time == first.time }
            rest = rest.dropFirst(commit.count)
            try self.take(commit, to: first.time, isMerged: false)
        }
    }

    /// Takes everything between the watcher's position and `time`. First it is found out what every view is told, then the
    /// streams are told, so that no stream hears a part of it.
    private func take(_ changes: ArraySlice<Change>, to time: Timestamp, isMerged: Bool) throws(StoreError) {
        self.step.begin()
        var seen: Set<DocumentKey> = []
        for change in changes {
            guard let table = self.tables[change.database] else { continue }
            self.hasChanged(table)
            self.step.interested.removeAll(keepingCapacity: true)
            self.step.lists.removeAll(keepingCapacity: true)
            table.collect(change.path, into: &self.step)
            if self.step.interested.isEmpty, self.step.lists.isEmpty { continue }
            if isMerged, !seen.insert(DocumentKey(change)).inserted { continue }
            try self.look(at: change, to: time)
        }
        for view in self.step.windows { try self.settle(view, at: time) }
        for view in self.step.failed { self.fail(view, .windowTooLarge) }
        if self.beginLargeStep(time, isMerged: isMerged) { return }
        self.tell(time)
        self.end(time, isMerged: isMerged)
    }

    /// The step has been told.
    func end(_ time: Timestamp, isMerged: Bool) {
        self.position = time
        if isMerged { self.mergedThrough = time }
        for stream in self.step.cutShort { stream.beginRestOfStep() }
        self.step.end()
    }

    private func look(at change: Change, to time: Timestamp) throws(StoreError) {
        self.values.changesMatched += 1
        let path = change.path
        let before = try self.store.get(path, in: change.database, at: self.position)
        let after = try self.store.get(path, in: change.database, at: time)
        if before?.updateTime == after?.updateTime { return }
        for list in self.step.lists { list.collect(from: before, to: after, into: &self.step.interested) }
        self.turn.eventsLeft -= self.step.interested.count
        var shared: WatchedDocument?
        var deletion: WatchedDeletion?
        for view in self.step.interested {
            if view.window != nil {
                self.note(path, before, after, for: view)
            } else if let after, view.matches(path, after) {
                view.recent.append(path, time: time)
                self.step.news.append((view, .shown(view.watched(path, after, shared: &shared))))
            } else if view.matches(path, before) {
                view.recent.append(path, time: time)
                self.step.news.append((view, self.departure(of: path, after, time, view, &shared, &deletion)))
            }
        }
    }

    private func departure(
        of path: ResourcePath,
        _ document: Document?,
        _ time: Timestamp,
        _ view: View,
        _ shared: inout WatchedDocument?,
        _ deletion: inout WatchedDeletion?
    ) -> CommitStep.News {
        if let document { return .left(view.watched(path, document, shared: &shared)) }
        let deleted = deletion ?? WatchedDeletion(path: path, time: time)
        deletion = deleted
        return .deleted(deleted)
    }

    // MARK: Starting over

    /// The changes, or the versions that tell what they were, are gone: from what streams were told of to the watermark
    /// only the documents themselves can tell.
    private func jump(to watermark: Timestamp) {
        for stream in self.streams { stream.fallBehind() }
        for table in self.tables.values { self.hasChanged(table) }
        self.step.end()
        self.course = .upToDate
        self.position = watermark
        for stream in self.streams {
            for target in stream.targets where target.view.recent.completeAfter != watermark {
                target.view.relocations = []
                target.view.recent = RecentNews(completeAfter: watermark)
                self.wantWindow(target.view)
            }
            self.enqueue(stream)
        }
    }
}

private struct DocumentKey: Hashable {
    let database: DatabaseHandle
    let path: ResourcePath

    init(_ change: Change) {
        self.database = change.database
        self.path = change.path
    }
}
