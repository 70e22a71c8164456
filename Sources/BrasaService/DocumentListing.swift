import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStatus
import BrasaStore

/// One page of ListDocuments: what was asked for, checked.
struct DocumentListing: Sendable {
    private static let pageSizeMax = 1_000

    /// What the page is cut from, behind the pages before.
    enum Source: Sendable {
        case names(NameRange)
        case query(Query)
    }

    let database: DatabaseName
    let source: Source
    let order: ListOrder
    let pageSize: Int
    let mask: FieldMask?
    let showMissing: Bool
    let fingerprint: UInt64

    init(_ request: ListDocumentsRequest, pageSizeDefault: Int) throws(Status) {
        guard request.pageSize >= 0 else { throw .negativePageSize }
        self.order = try ListOrder(parsing: request.orderBy)
        guard !request.showMissing || request.orderBy.bytes.isEmpty else {
            throw Status(.invalidArgument, "show_missing cannot be combined with order_by.")
        }
        self.database = request.parent.database
        self.pageSize = request.pageSize == 0 ? pageSizeDefault : min(Int(request.pageSize), Self.pageSizeMax)
        self.mask = request.mask.map { FieldMask($0) }
        self.showMissing = request.showMissing
        self.fingerprint = Self.fingerprint(of: request)
        var token: PageToken?
        if !request.pageToken.bytes.isEmpty {
            token = PageToken(parsing: request.pageToken.bytes, for: self.fingerprint)
            guard token != nil else { throw .invalidPageToken }
        }
        let range = try Self.range(of: request)
        self.source =
            self.order.fields.isEmpty
            ? .names(try Self.rest(of: range, after: token, self.order))
            : .query(try Self.query(request, self.order, after: token, pageSize: self.pageSize))
    }

    private static func range(of request: ListDocumentsRequest) throws(Status) -> NameRange {
        let hasCollection = !request.collectionID.bytes.isEmpty
        if hasCollection {
            do throws(DocumentError) {
                try ResourcePath.checkCollectionID(request.collectionID)
            } catch {
                throw Status(error)
            }
        }
        return NameRange(
            parent: request.parent.path,
            collectionID: hasCollection ? request.collectionID : nil,
            allDescendants: false
        )
    }

    private static func rest(
        of range: NameRange,
        after token: PageToken?,
        _ order: ListOrder
    ) throws(Status) -> NameRange {
        guard let token else { return range }
        guard let last = try? ResourcePath(parsing: token.last), last.isDocument else { throw .invalidPageToken }
        return range.resumed(after: last, isDescending: order.isNameDescending)
    }

    private static func query(
        _ request: ListDocumentsRequest,
        _ order: ListOrder,
        after token: PageToken?,
        pageSize: Int
    ) throws(Status) -> Query {
        var structured = StructuredQuery(
            from: [.init(collectionID: request.collectionID)],
            orderBy: order.orders,
            // One more than the page, so that a page that ends at the last document has no token.
            limit: Int32(pageSize + 1)
        )
        if let token {
            guard let values = OrderValues(parsing: token.last), values.values.count == order.orders.count else {
                throw .invalidPageToken
            }
            structured.startAt = StructuredQuery.Cursor(values: values.values, before: false)
        }
        do throws(QueryError) {
            return try Query(structured, parent: request.parent)
        } catch {
            throw Status(error)
        }
    }

    /// What rules are asked: `names` has what is listed, and the page may be a part of it.
    func demand(in names: NameRange) -> RuleDemand {
        if self.showMissing { return .metadata }
        let order = self.order.fields.map { (field: UTF8Text($0.path.canonical), ascends: !$0.isDescending) }
        return .listing(RuleTarget(names), RuleQuery(limit: Int64(self.pageSize), order: order))
    }

    private static func fingerprint(of request: ListDocumentsRequest) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.add(request.parent.bytes)
        fingerprint.add(request.collectionID.bytes)
        fingerprint.add(request.orderBy.bytes)
        fingerprint.add(request.showMissing)
        return fingerprint.value
    }
}
