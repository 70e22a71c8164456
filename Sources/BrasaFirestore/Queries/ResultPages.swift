internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaStatus
internal import BrasaSync

/// Reads a query's results page by page, each behind the last document of the one before and all at one time.
struct ResultPages {
    private let query: Query
    /// Of the query's limit.
    private var remaining: Int?
    private var last: QueryDocumentSnapshot?
    /// The first page's.
    private var time: BrasaDocuments.Timestamp?
    private var size = PageSize()
    private var isEnded = false

    init(query: Query) {
        self.query = query
        self.remaining = query.definition.limit.map { Int($0) }
    }

    /// Empty at the end, and after an error.
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> [QueryDocumentSnapshot] {
        guard !self.isEnded else { return [] }
        self.isEnded = true
        let count = Swift.min(self.size.count, self.remaining ?? .max)
        let core = try throwing { () throws(UsageError) in try self.query.firestore.core() }
        let request = try throwing { () throws(UsageError) in try self.request(count) }
        let calls = try core.callsOnline()
        let page: ResultPage
        do {
            page = try await calls.results(request, parent: self.query.definition.parent, at: self.time)
        } catch {
            throw error.error.nsError
        }
        guard page.readTime != nil || page.documents.isEmpty else {
            throw SyncError(.internal, "The server did not say when it read the results.").nsError
        }
        let snapshots = page.snapshots(self.query.firestore)
        self.time = self.time ?? page.readTime
        self.last = snapshots.last
        self.size.note(bytes: page.documents.reduce(0) { $0 + $1.document.fields.bytes.count }, of: snapshots.count)
        self.remaining = self.remaining.map { $0 - snapshots.count }
        self.isEnded = snapshots.count < count || self.remaining == 0
        return self.query.definition.projection.map { projection in
            page.projected(to: projection).snapshots(self.query.firestore)
        } ?? snapshots
    }

    private func request(_ count: Int) throws(UsageError) -> StructuredQuery {
        var definition = self.query.definition
        guard definition.limitKind == .first else {
            throw UsageError("Results with limit(toLast:) cannot be read one by one.")
        }
        if let last {
            let values = try CursorReader(self.query.reader).values(of: last)
            definition.start(at: QueryDefinition.Bound(values: values, isInclusive: false))
            // Left out before the first page.
            try definition.offset(by: 0)
        }
        // The next page begins behind what orders the last document of this one.
        try definition.selectOrder()
        try definition.limit(to: count, .first)
        return try definition.structured()
    }
}

/// Some of a query's results, in its order.
struct ResultPage: Sendable {
    var documents: [(path: ResourcePath, document: Document)]
    /// Nil when the server did not say.
    var readTime: BrasaDocuments.Timestamp?

    func projected(to fields: [BrasaDocuments.FieldPath]) -> ResultPage {
        var page = self
        for index in page.documents.indices {
            page.documents[index].document.fields = self.documents[index].document.fields.projected(to: fields)
        }
        return page
    }
}

/// How many documents a page shall have: about as many as make it two megabytes, if they are like the last ones. They
/// may be larger, so the first page has few, and a page at most twice as many as the one before.
struct PageSize {
    private(set) var count = 10

    private static let bytesWanted = 2 << 20
    private static let countMax = 1_000

    mutating func note(bytes: Int, of count: Int) {
        guard count > 0 else { return }
        let average = Swift.max(1, bytes / count)
        self.count = Swift.max(1, Swift.min(Self.bytesWanted / average, Self.countMax, 2 * self.count))
    }
}
