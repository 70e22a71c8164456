internal import BrasaDocuments
internal import BrasaQueries

/// A query with its view.
final class QueryView {
    let query: SyncQuery
    let target: TargetID
    let view: View
    /// Somebody listens to it who wants more than the cache.
    var usesRemote: Bool
    /// In the order in which queries were listened to.
    fileprivate(set) var number: UInt64 = 0

    init(query: SyncQuery, target: TargetID, view: View, usesRemote: Bool) {
        self.query = query
        self.target = target
        self.view = view
        self.usesRemote = usesRemote
    }
}

/// All views, found by what may concern them, so that a change costs nothing for the others.
struct ViewTable {
    /// Where the results of a query can be.
    private enum Place: Hashable {
        case document(ResourcePath)
        case collection(ResourcePath)
        /// Collections with this id, wherever they are.
        case group(UTF8Text)
        case anywhere
    }

    private var byQuery: [SyncQuery: QueryView] = [:]
    private var byTarget: [TargetID: [QueryView]] = [:]
    private var byPlace: [Place: [UInt64: QueryView]] = [:]
    private var lastNumber: UInt64 = 0

    /// In the order in which they were listened to.
    var all: [QueryView] { self.byQuery.values.sorted { $0.number < $1.number } }

    subscript(query: SyncQuery) -> QueryView? { self.byQuery[query] }

    /// Queries of which one is the other's mirror image share a target.
    func views(of target: TargetID) -> [QueryView] { self.byTarget[target] ?? [] }

    mutating func add(_ view: QueryView) {
        self.lastNumber += 1
        view.number = self.lastNumber
        self.byQuery[view.query] = view
        self.byTarget[view.target, default: []].append(view)
        self.byPlace[Self.place(of: view.query), default: [:]][view.number] = view
    }

    mutating func remove(_ view: QueryView) {
        self.byQuery[view.query] = nil
        self.byTarget[view.target]?.removeAll { $0 === view }
        if self.byTarget[view.target]?.isEmpty == true { self.byTarget[view.target] = nil }
        let place = Self.place(of: view.query)
        self.byPlace[place]?[view.number] = nil
        if self.byPlace[place]?.isEmpty == true { self.byPlace[place] = nil }
    }

    private static func place(of query: SyncQuery) -> Place {
        if case .document(let path) = query.target { return .document(path) }
        guard let names = query.names, let id = names.collectionID else { return .anywhere }
        if names.allDescendants { return .group(id) }
        return (try? names.parent.appending(id.bytes)).map { .collection($0) } ?? .anywhere
    }

    /// The views that an event speaks of or that may hold changed documents, each with those documents, in the order in
    /// which they were listened to.
    func concerned(by changes: DocumentMap, _ event: RemoteEvent?) -> [(view: QueryView, changes: DocumentMap)] {
        var found: [UInt64: (view: QueryView, changes: DocumentMap)] = [:]
        for id in event?.targetChanges.keys ?? [:].keys {
            for view in self.views(of: id) { found[view.number] = (view, [:]) }
        }
        for id in event?.mismatches.keys ?? [:].keys {
            for view in self.views(of: id) { found[view.number] = (view, [:]) }
        }
        for (place, part) in self.parts(of: changes) {
            for view in (self.byPlace[place] ?? [:]).values { found[view.number] = (view, part) }
        }
        return found.values.sorted { $0.view.number < $1.view.number }
    }

    /// What changed at the places where there are views.
    private func parts(of changes: DocumentMap) -> [Place: DocumentMap] {
        var parts: [Place: DocumentMap] = [:]
        for (path, document) in changes {
            var places = [Place.document(path), .anywhere]
            if let collection = path.parent { places.append(.collection(collection)) }
            if let id = UTF8Text(validating: path.collectionID) { places.append(.group(id)) }
            for place in places where self.byPlace[place] != nil { parts[place, default: [:]][path] = document }
        }
        return parts
    }
}
