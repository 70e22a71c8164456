import BrasaDocuments
import BrasaQueries
import BrasaStore

/// The views on one database, found by what changes: by a document's path, by its collection, and by its collection's id
/// for collection groups. What nobody listens to costs a look-up in those that are not empty.
final class ViewTable {
    let database: DatabaseHandle
    private var views: [View.Selection: View] = [:]
    private var byPath: [BytePart: ContiguousArray<View>] = [:]
    private var byCollection: [BytePart: ViewList] = [:]
    private var byGroup: [BytePart: ViewList] = [:]
    private var lastSnapshot: WatchSnapshot?
    /// Streams in the database.
    var streamCount = 0
    /// Holds the versions of the watcher's position, or of a position before it.
    var pin: SnapshotPin?
    /// In this turn.
    var hasChanged = false

    init(_ database: DatabaseHandle) {
        self.database = database
    }

    /// Views on the document, its collection or its group. Of some lists only documents can tell which are concerned.
    func collect(_ path: ResourcePath, into step: inout CommitStep) {
        if !self.byPath.isEmpty, let found = self.byPath[BytePart(path.bytes)] {
            step.interested.append(contentsOf: found)
        }
        if !self.byCollection.isEmpty { Self.collect(self.byCollection[path.parentBytes], into: &step) }
        if !self.byGroup.isEmpty { Self.collect(self.byGroup[path.collectionID], into: &step) }
    }

    private static func collect(_ list: ViewList?, into step: inout CommitStep) {
        guard let list else { return }
        list.collect(into: &step.interested)
        if list.hasValues { step.lists.append(list) }
    }

    /// What changed lately is forgotten.
    func forgetRecent(until position: Timestamp) {
        for view in self.views.values { view.recent = RecentNews(completeAfter: position) }
    }

    /// The snapshot with the messages that were made of it. The next one to ask gets a new one.
    func forgetSnapshot() { self.lastSnapshot = nil }

    func view(_ selection: View.Selection) -> View? { self.views[selection] }

    func add(_ view: View) {
        self.views[view.selection] = view
        switch view.selection {
        case .documents(let paths):
            for path in paths { self.byPath[BytePart(path.bytes), default: []].append(view) }
        case .query(let query):
            guard let place = Place(query) else { return }
            let list = self[place] ?? ViewList()
            self[place] = list
            list.add(view, query)
        }
    }

    func remove(_ view: View) {
        self.views[view.selection] = nil
        switch view.selection {
        case .documents(let paths):
            for path in paths {
                let key = BytePart(path.bytes)
                self.byPath[key]?.removeAll { $0 === view }
                if self.byPath[key]?.isEmpty == true { self.byPath[key] = nil }
            }
        case .query(let query):
            guard let place = Place(query), let list = self[place] else { return }
            list.remove(view, query)
            if list.isEmpty { self[place] = nil }
        }
    }

    /// The same object for all who ask in a row.
    func snapshot(at time: Timestamp, of watcher: Watcher) -> WatchSnapshot {
        if let last = self.lastSnapshot, last.time == time { return last }
        let token = ResumeToken(time: time, database: self.database, store: watcher.store)
        let snapshot = WatchSnapshot(time: time, token: token)
        self.lastSnapshot = snapshot
        watcher.turn.forgetLater(self)
        return snapshot
    }

    /// Where a query's view is found.
    private enum Place {
        case collection(BytePart)
        case group(BytePart)

        /// Nil for a collection that cannot be, under which nothing changes.
        init?(_ query: Query) {
            guard let id = query.names.collectionID else { return nil }
            if query.names.allDescendants {
                self = .group(BytePart(id.bytes))
            } else if let collection = try? query.names.parent.appending(id.bytes) {
                self = .collection(BytePart(collection.bytes))
            } else {
                return nil
            }
        }
    }

    private subscript(_ place: Place) -> ViewList? {
        get {
            switch place {
            case .collection(let key): self.byCollection[key]
            case .group(let key): self.byGroup[key]
            }
        }
        set {
            switch place {
            case .collection(let key): self.byCollection[key] = newValue
            case .group(let key): self.byGroup[key] = newValue
            }
        }
    }
}
