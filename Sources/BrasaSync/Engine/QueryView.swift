internal import BrasaDocuments
internal import BrasaQueries

/// A query with its view.
final class QueryView {
    /// A value that all of a query's results have in a field.
    struct Equality: Hashable {
        let path: FieldPath
        let key: OrderPreservingKey
    }

    let query: SyncQuery
    let target: TargetID
    let view: View
    /// Somebody listens to it who wants more than the cache.
    var usesRemote: Bool
    /// Nil when there is no such value.
    let equality: Equality?
    /// In the order in which queries were listened to.
    var number: UInt64 = 0

    init(query: SyncQuery, target: TargetID, view: View, usesRemote: Bool) {
        self.query = query
        self.target = target
        self.view = view
        self.usesRemote = usesRemote
        self.equality = Self.equality(of: query)
    }

    private static func equality(of query: SyncQuery) -> Equality? {
        guard let disjunctions = query.checked?.disjunctions, disjunctions.count == 1 else { return nil }
        for term in disjunctions[0].terms where !term.path.isDocumentName {
            if case .equal(let value) = term.condition {
                return Equality(path: term.path, key: OrderPreservingKey(value))
            }
        }
        return nil
    }
}

/// The views of which the results are at one place.
struct PlaceViews {
    typealias Views = [UInt64: QueryView]

    /// Those that a document may concern whatever it has in its fields.
    private(set) var unconditional: Views = [:]
    private var byValue: [FieldPath: [OrderPreservingKey: Views]] = [:]

    var isEmpty: Bool { self.unconditional.isEmpty && self.byValue.isEmpty }

    var listenToServer: Bool {
        self.unconditional.values.contains(where: \.usesRemote)
            || self.byValue.values.contains { views in
                views.values.contains { $0.values.contains(where: \.usesRemote) }
            }
    }

    mutating func add(_ view: QueryView) {
        if let equality = view.equality {
            self.byValue[equality.path, default: [:]][equality.key, default: [:]][view.number] = view
        } else {
            self.unconditional[view.number] = view
        }
    }

    mutating func remove(_ view: QueryView) {
        guard let equality = view.equality else {
            self.unconditional[view.number] = nil
            return
        }
        self.byValue[equality.path]?[equality.key]?[view.number] = nil
        if self.byValue[equality.path]?[equality.key]?.isEmpty == true {
            self.byValue[equality.path]?[equality.key] = nil
        }
        if self.byValue[equality.path]?.isEmpty == true { self.byValue[equality.path] = nil }
    }

    /// Those that ask for a value which the document has.
    func conditional(for document: SyncDocument) -> [QueryView] {
        var found: [QueryView] = []
        for (path, views) in self.byValue {
            guard let value = document.fields.value(at: path) else { continue }
            found.append(contentsOf: (views[OrderPreservingKey(value)] ?? [:]).values)
        }
        return found
    }
}
