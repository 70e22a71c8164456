import BrasaDocuments
import BrasaQueries

/// The documents of a scope in name order that a query matches.
struct MatchedNames: Sendable {
    private var scan: NameScan
    private var fetched: ArraySlice<NameScan.Entry> = []
    private let query: Query
    /// Whether the names decide.
    let isExact: Bool
    /// Results up to this key of the query's order are not wanted.
    private let resume: OrderPreservingKey?

    /// Documents looked at before the next are fetched: few at first, since the first may be all that is wanted, then so many
    /// that a long scan and whoever else asks for the order, the build of its index above all, do not wait for each other at
    /// every few of them.
    private var fetchMax = Self.firstFetchMax

    private static let firstFetchMax = 64
    private static let laterFetchMax = 256

    init(_ scan: NameScan, of query: Query, isExact: Bool, resume: OrderPreservingKey?) {
        self.scan = scan
        self.query = query
        self.isExact = isExact
        self.resume = resume
    }

    var isAtEnd: Bool { self.fetched.isEmpty && self.scan.isAtEnd }

    /// Nil at the end, and when the budget is used up.
    mutating func next(
        expecting count: Int,
        _ work: inout ScanWork
    ) throws(StoreError) -> QueryScan.Entry? {
        while true {
            if self.fetched.isEmpty {
                guard work.budget > 0, !self.scan.isAtEnd else { return nil }
                let wanted = self.isExact ? min(count, self.fetchMax) : self.fetchMax
                self.fetched = try self.scan.next(min(wanted, work.budget), steps: &work.budget)[...]
                self.fetchMax = Self.laterFetchMax
            }
            // Documents fetched before cost more than they were charged for: the others have to wait.
            guard work.budget >= 0 else { return nil }
            guard let entry = self.fetched.popFirst() else { continue }
            guard let document = entry.document else { continue }
            work.statistics.documentsScanned += 1
            if let found = self.match(entry.path, document, &work) { return found }
        }
    }

    private func match(
        _ path: ResourcePath,
        _ document: Document,
        _ work: inout ScanWork
    ) -> QueryScan.Entry? {
        if !self.isExact, !self.query.matches(path: path, fields: document.fields) { return nil }
        guard let resume = self.resume else {
            return QueryScan.Entry(path: path, document: document, orderKey: nil)
        }
        guard let key = self.query.order.key(path: path, fields: document.fields) else { return nil }
        work.charge(key)
        guard resume < key else { return nil }
        return QueryScan.Entry(path: path, document: document, orderKey: key)
    }
}
