import BrasaDocuments
import BrasaQueries

/// The views on one collection or collection group. Those whose filter names values are found by the values, since there
/// may be one for each user: a change costs them nothing but those that it concerns. The others are found always.
final class ViewList {
    private var others: ContiguousArray<View> = []
    /// By the fields that the filters name, and a hash of the values; another value's views may be there as well.
    private var byValue: [ValueFilter.Fields: [Int: ContiguousArray<View>]] = [:]

    var isEmpty: Bool { self.others.isEmpty && self.byValue.isEmpty }
    /// Whether documents decide which views there are.
    var hasValues: Bool { !self.byValue.isEmpty }

    func add(_ view: View, _ query: Query) {
        if let filter = ValueFilter(query) {
            Self.add(view, to: &self.byValue[filter.fields, default: [:]][filter.hash, default: []])
        } else {
            Self.add(view, to: &self.others)
        }
    }

    func remove(_ view: View, _ query: Query) {
        guard let filter = ValueFilter(query) else { return Self.remove(view, from: &self.others) }
        Self.remove(view, from: &self.byValue[filter.fields, default: [:]][filter.hash, default: []])
        if self.byValue[filter.fields]?[filter.hash]?.isEmpty == true {
            self.byValue[filter.fields]?[filter.hash] = nil
        }
        if self.byValue[filter.fields]?.isEmpty == true { self.byValue[filter.fields] = nil }
    }

    private static func add(_ view: View, to views: inout ContiguousArray<View>) {
        view.listIndex = views.count
        views.append(view)
    }

    private static func remove(_ view: View, from views: inout ContiguousArray<View>) {
        guard let last = views.popLast(), last !== view else { return }
        views[view.listIndex] = last
        last.listIndex = view.listIndex
    }

    /// Views that every change in the collection may concern.
    func collect(into views: inout ContiguousArray<View>) {
        views.append(contentsOf: self.others)
    }

    /// The others that a change from one version to another may concern, each once.
    func collect(from before: Document?, to after: Document?, into views: inout ContiguousArray<View>) {
        for (fields, found) in self.byValue {
            let hashes = fields.hashes(of: before).union(fields.hashes(of: after))
            for hash in hashes { if let matching = found[hash] { views.append(contentsOf: matching) } }
        }
    }
}

/// The values that a query's filter asks certain fields for: a document with others does not match.
struct ValueFilter {
    /// The fields in order; which of them are arrays that contain the value.
    struct Fields: Hashable {
        var equal: [FieldPath] = []
        var containing: FieldPath?
    }

    private(set) var fields = Fields()
    let hash: Int

    /// Nil when the filter names no values, or can hold in several ways.
    init?(_ query: Query) {
        guard query.disjunctions.count == 1, let terms = query.disjunctions.first?.terms else { return nil }
        var equal: [(path: FieldPath, value: Value)] = []
        var element: Value?
        for term in terms where !term.path.isDocumentName {
            switch term.condition {
            case .equal(let value): equal.append((term.path, value))
            case .arrayContains(let value) where element == nil:
                self.fields.containing = term.path
                element = value
            default: break
            }
        }
        guard !equal.isEmpty || element != nil else { return nil }
        equal.sort { $0.path < $1.path }
        self.fields.equal = equal.map(\.path)
        var key = OrderPreservingKey()
        for (_, value) in equal { key.append(value) }
        if let element { key.append(element) }
        self.hash = key.hashValue
    }
}

extension ValueFilter.Fields {
    /// The hashes of all filters on these fields that may hold for the document.
    fileprivate func hashes(of document: Document?) -> Set<Int> {
        guard let fields = document?.fields else { return [] }
        var key = OrderPreservingKey()
        for path in self.equal { if !key.append(fields, at: path) { return [] } }
        guard let containing = self.containing else { return [key.hashValue] }
        guard let array = fields.encodedValue(at: containing) else { return [] }
        var hashes: Set<Int> = []
        _ = EncodedValue(canonical: array).hasElement { element in
            var whole = key
            whole.append(element.decoded)
            hashes.insert(whole.hashValue)
            return false
        }
        return hashes
    }
}
