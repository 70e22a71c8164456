import BrasaDocuments
import BrasaQueries
import BrasaStore

/// The views on one database, found by what changes: by a document's path, by its collection, and by its collection's id
/// for collection groups. What nobody listens to costs a look-up in those that are not empty.
final class ViewTable {
    let database: DatabaseHandle
    private var views: [View.Selection: View] = [:]
    private var byPath: [ByteSlice: ContiguousArray<View>] = [:]
    private var byCollection: [ByteSlice: ContiguousArray<View>] = [:]
    private var byGroup: [ByteSlice: ContiguousArray<View>] = [:]
    private var lastSnapshot: WatchSnapshot?
    /// Streams in the database.
    var streamCount = 0

    init(_ database: DatabaseHandle) {
        self.database = database
    }

    /// Views on the document, its collection or its group.
    func collect(_ path: ResourcePath, into views: inout ContiguousArray<View>) {
        if !self.byPath.isEmpty, let found = self.byPath[ByteSlice(path)] { views.append(contentsOf: found) }
        if !self.byCollection.isEmpty, let found = self.byCollection[ByteSlice(collectionOf: path)] {
            views.append(contentsOf: found)
        }
        if !self.byGroup.isEmpty, let found = self.byGroup[ByteSlice(collectionIDOf: path)] {
            views.append(contentsOf: found)
        }
    }

    func view(_ selection: View.Selection) -> View? { self.views[selection] }

    func add(_ view: View) {
        self.views[view.selection] = view
        switch view.selection {
        case .documents(let paths):
            for path in paths { self.byPath[ByteSlice(path), default: []].append(view) }
        case .query(let query):
            guard let place = Place(query) else { return }
            view.listIndex = self[place].count
            self[place].append(view)
        }
    }

    func remove(_ view: View) {
        self.views[view.selection] = nil
        switch view.selection {
        case .documents(let paths):
            for path in paths {
                let key = ByteSlice(path)
                self.byPath[key]?.removeAll { $0 === view }
                if self.byPath[key]?.isEmpty == true { self.byPath[key] = nil }
            }
        case .query(let query):
            guard let place = Place(query), let last = self[place].popLast(), last !== view else { return }
            self[place][view.listIndex] = last
            last.listIndex = view.listIndex
        }
    }

    /// The same object for all who ask in a row.
    func snapshot(at time: Timestamp, of watcher: Watcher) -> WatchSnapshot {
        if let last = self.lastSnapshot, last.time == time { return last }
        let token = ResumeToken(time: time, database: self.database.name, store: watcher.store)
        let snapshot = WatchSnapshot(time: time, token: token)
        self.lastSnapshot = snapshot
        return snapshot
    }

    /// Where a query's view is found.
    private enum Place {
        case collection(ByteSlice)
        case group(ByteSlice)

        /// Nil for a collection that cannot be, under which nothing changes.
        init?(_ query: Query) {
            guard let id = query.names.collectionID else { return nil }
            if query.names.allDescendants {
                self = .group(ByteSlice(id))
            } else if let collection = try? query.names.parent.appending(id.bytes) {
                self = .collection(ByteSlice(collection))
            } else {
                return nil
            }
        }
    }

    private subscript(_ place: Place) -> ContiguousArray<View> {
        get {
            switch place {
            case .collection(let key): self.byCollection[key] ?? []
            case .group(let key): self.byGroup[key] ?? []
            }
        }
        _modify {
            switch place {
            case .collection(let key):
                yield &self.byCollection[key, default: []]
                if self.byCollection[key]?.isEmpty == true { self.byCollection[key] = nil }
            case .group(let key):
                yield &self.byGroup[key, default: []]
                if self.byGroup[key]?.isEmpty == true { self.byGroup[key] = nil }
            }
        }
    }
}
