import BrasaStore

/// Results of a query one at a time; what was fetched shares its bytes with the store.
struct ResultReader {
    private var scan: QueryScan
    private var fetched: ArraySlice<QueryScan.Entry> = []
    /// How many were given out.
    private(set) var taken = 0

    private static let chunk = 64
    /// What fetching a chunk costs, in reads of one document: it looks at more documents than it finds.
    private static let cost = 128

    init(_ scan: QueryScan) {
        self.scan = scan
    }

    var isAtEnd: Bool { self.fetched.isEmpty && self.scan.isAtEnd }

    /// Nil at the end, or when the turn has no reads left.
    mutating func next(_ readsLeft: inout Int) throws(StoreError) -> QueryScan.Entry? {
        while self.fetched.isEmpty {
            guard !self.scan.isAtEnd, readsLeft > 0 else { return nil }
            readsLeft -= Self.cost
            self.fetched = try self.scan.next(Self.chunk)[...]
        }
        self.taken += 1
        return self.fetched.popFirst()
    }

    /// Passes over what the turn allows of all that is left, and says how much it was.
    mutating func skip(_ readsLeft: inout Int) throws(StoreError) -> Int {
        var count = 0
        while !self.scan.isAtEnd, readsLeft > 0 {
            readsLeft -= Self.cost
            count += try self.scan.skip(.max)
        }
        return count
    }
}
