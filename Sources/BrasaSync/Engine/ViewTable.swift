internal import BrasaDocuments
internal import BrasaQueries

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
    private var byPlace: [Place: PlaceViews] = [:]
    private var lastNumber: UInt64 = 0

    /// In the order in which they were listened to.
    var all: [QueryView] { self.byQuery.values.sorted { $0.number < $1.number } }

    var isEmpty: Bool { self.byQuery.isEmpty }

    subscript(query: SyncQuery) -> QueryView? { self.byQuery[query] }

    /// Queries of which one is the other's mirror image share a target.
    func views(of target: TargetID) -> [QueryView] { self.byTarget[target] ?? [] }

    mutating func add(_ view: QueryView) {
        self.lastNumber += 1
        view.number = self.lastNumber
        self.byQuery[view.query] = view
        self.byTarget[view.target, default: []].append(view)
        self.byPlace[Self.place(of: view.query), default: PlaceViews()].add(view)
    }

    mutating func remove(_ view: QueryView) {
        self.byQuery[view.query] = nil
        self.byTarget[view.target]?.removeAll { $0 === view }
        if self.byTarget[view.target]?.isEmpty == true { self.byTarget[view.target] = nil }
        let place = Self.place(of: view.query)
        self.byPlace[place]?.remove(view)
        if self.byPlace[place]?.isEmpty == true { self.byPlace[place] = nil }
    }

    private static func place(of query: SyncQuery) -> Place {
        if case .document(let path) = query.target { return .document(path) }
        guard let names = query.names, let id = names.collectionID else { return .anywhere }
        if names.allDescendants { return .group(id) }
        return (try? names.parent.appending(id.bytes)).map { .collection($0) } ?? .anywhere
    }

    /// The views that an event speaks of or that changed documents may concern, each with those documents, in the order in
    /// which they were listened to. Nothing in a view changes by a document that is neither in it nor matches.
    func concerned(
        by changes: DocumentMap,
        _ event: RemoteEvent?,
        shown: ReferenceSet
    ) -> [(view: QueryView, changes: DocumentMap)] {
        var found: [UInt64: (view: QueryView, changes: DocumentMap)] = [:]
        for id in event?.targetChanges.keys ?? [:].keys {
            for view in self.views(of: id) { found[view.number] = (view, [:]) }
        }
        for id in event?.mismatches.keys ?? [:].keys {
            for view in self.views(of: id) { found[view.number] = (view, [:]) }
        }
        var parts: [Place: DocumentMap] = [:]
        for (path, document) in changes {
            var conditional: [QueryView] = []
            for place in Self.places(of: path) {
                guard let views = self.byPlace[place] else { continue }
                if !views.unconditional.isEmpty { parts[place, default: [:]][path] = document }
                conditional += views.conditional(for: document)
            }
            shown.forEachTarget(of: path) { target in
                conditional += self.views(of: target).filter { $0.equality != nil }
            }
            for view in conditional { found[view.number, default: (view, [:])].changes[path] = document }
        }
        for (place, part) in parts {
            for view in (self.byPlace[place]?.unconditional ?? [:]).values { found[view.number] = (view, part) }
        }
        return found.values.sorted { $0.view.number < $1.view.number }
    }

    /// Whether somebody listens to the server at a place where the document is, whatever it has in its fields.
    func listenToServer(for path: ResourcePath) -> Bool {
        !self.isEmpty && Self.places(of: path).contains { self.byPlace[$0]?.listenToServer == true }
    }

    /// Where queries may be of which the document is a result.
    private static func places(of path: ResourcePath) -> [Place] {
        var places = [Place.document(path), .anywhere]
        if let collection = path.parent { places.append(.collection(collection)) }
        if let id = UTF8Text(validating: path.collectionID) { places.append(.group(id)) }
        return places
    }
}
