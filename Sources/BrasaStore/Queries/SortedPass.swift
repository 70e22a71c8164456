import BrasaDocuments
import BrasaQueries

/// A query's results sorted without an index: one pass over the scope keeps the first of them in memory, gives them out,
/// and leaves the others to another pass.
struct SortedPass: Sendable {
    private var names: MatchedNames
    private let order: ResultOrder
    private let countMax: Int
    private var smallest: SmallestEntries
    /// Sorted, the first one last. Nil: the pass over the scope is still under way.
    private var sorted: [SmallestEntries.Element]?
    /// Whether results were left to another pass.
    private(set) var isPartial = false

    init(_ names: MatchedNames, order: ResultOrder, countMax: Int, keyBytesMax: Int) {
        self.names = names
        self.order = order
        self.countMax = countMax
        self.smallest = SmallestEntries(countMax: countMax, keyBytesMax: keyBytesMax)
    }

    var isCollecting: Bool { self.sorted == nil }
    var isAtEnd: Bool { self.sorted?.isEmpty ?? false }
    /// Results held and not given out.
    var heldCount: Int { self.sorted?.count ?? self.smallest.count }

    /// Whether no other pass has to follow for so many results.
    func isLast(limit: Int?) -> Bool {
        let isPartial = self.isPartial || self.smallest.ceiling != nil
        return !isPartial || limit.map { $0 <= self.countMax } ?? false
    }

    /// Nil at the end, and when the budget is used up.
    mutating func next(_ work: inout ScanWork) throws(StoreError) -> QueryScan.Entry? {
        while self.sorted == nil {
            let entry = try self.names.next(expecting: .max, &work)
            if let entry {
                let fields = entry.document.fields
                guard let key = entry.orderKey ?? self.order.key(path: entry.path, fields: fields) else { continue }
                if entry.orderKey == nil { work.charge(key) }
                self.smallest.offer(
                    SmallestEntries.Element(key: key, path: entry.path, document: entry.document)
                )
            } else if self.names.isAtEnd {
                self.isPartial = self.smallest.ceiling != nil
                self.sorted = self.smallest.removeAll().reversed()
            } else {
                return nil
            }
        }
        return self.sorted?.popLast().map { element in
            QueryScan.Entry(path: element.path, document: element.document, orderKey: element.key)
        }
    }
}
