import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaWire

/// One page of ListDocuments: what was asked for, checked.
struct DocumentListing: Sendable {
    /// A page ends early when its documents come to this many bytes, well below what clients receive.
    private static let pageBytesMax = 4 << 20
    private static let pageSizeMax = 1_000
    private static let chunk = 128

    let database: DatabaseName
    /// Of the whole collection, whichever page it is.
    let range: NameRange
    /// What the pages before have left of it.
    private let rest: NameRange
    private let order: ListOrder
    private let pageSize: Int
    private let mask: FieldMask?
    private let showMissing: Bool
    private let fingerprint: UInt64
    /// In an order by fields, the key of the last document of the page before.
    private let lastKey: [UInt8]?

    init(_ request: ListDocumentsRequest, pageSizeDefault: Int) throws(GRPCStatus) {
        guard request.pageSize >= 0 else { throw .negativePageSize }
        self.order = try ListOrder(parsing: request.orderBy)
        guard !request.showMissing || request.orderBy.bytes.isEmpty else {
            throw GRPCStatus(.invalidArgument, "show_missing cannot be combined with order_by.")
        }
        self.database = request.parent.database
        self.pageSize = request.pageSize == 0 ? pageSizeDefault : min(Int(request.pageSize), Self.pageSizeMax)
        self.mask = request.mask.map { FieldMask($0) }
        self.showMissing = request.showMissing
        self.fingerprint = Self.fingerprint(of: request)
        self.range = try Self.range(of: request)
        guard !request.pageToken.bytes.isEmpty else {
            self.rest = self.range
            self.lastKey = nil
            return
        }
        guard let token = PageToken(parsing: request.pageToken.bytes, for: self.fingerprint) else {
            throw .invalidPageToken
        }
        guard self.order.fields.isEmpty else {
            self.rest = self.range
            self.lastKey = token.last
            return
        }
        guard let last = try? ResourcePath(parsing: token.last), last.isDocument else { throw .invalidPageToken }
        self.rest = self.range.resumed(after: last, isDescending: self.order.isNameDescending)
        self.lastKey = nil
    }

    private static func range(of request: ListDocumentsRequest) throws(GRPCStatus) -> NameRange {
        let hasCollection = !request.collectionID.bytes.isEmpty
        if hasCollection {
            do throws(DocumentError) {
                try ResourcePath.checkCollectionID(request.collectionID)
            } catch {
                throw GRPCStatus(error)
            }
        }
        return NameRange(
            parent: request.parent.path,
            collectionID: hasCollection ? request.collectionID : nil,
            allDescendants: false
        )
    }

    private static func fingerprint(of request: ListDocumentsRequest) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.add(request.parent.bytes)
        fingerprint.add(request.collectionID.bytes)
        fingerprint.add(request.orderBy.bytes)
        fingerprint.add(request.showMissing)
        return fingerprint.value
    }

    func page(of store: Store, _ handle: DatabaseHandle, at time: Timestamp) throws(StoreError) -> ListDocumentsResponse
    {
        self.order.fields.isEmpty
            ? try self.pageByName(of: store, handle, at: time) : try self.pageByFields(of: store, handle, at: time)
    }

    private func pageByName(
        of store: Store,
        _ handle: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> ListDocumentsResponse {
        var scan = try store.scan(
            self.rest,
            in: handle,
            at: time,
            descending: self.order.isNameDescending,
            showMissing: self.showMissing
        )
        var page = Page()
        // One more than the page, so that a page that ends at the last document has no token.
        for entry in try scan.next(self.pageSize + 1) {
            guard page.entries.count < self.pageSize, page.bytes < Self.pageBytesMax else {
                page.hasMore = true
                break
            }
            page.add(entry.path, entry.document?.masked(by: self.mask), key: entry.path.bytes)
        }
        return self.response(page)
    }

    /// Sorts the whole collection's keys and keeps the page's: the order has no index to follow yet.
    private func pageByFields(
        of store: Store,
        _ handle: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> ListDocumentsResponse {
        var scan = try store.scan(self.range, in: handle, at: time)
        var candidates: [(key: [UInt8], entry: NameScan.Entry)] = []
        while case let chunk = try scan.next(Self.chunk), !chunk.isEmpty {
            for entry in chunk {
                guard let document = entry.document, let key = self.order.key(of: document, at: entry.path) else {
                    continue
                }
                if let lastKey, ByteOrder.compare(key, lastKey) != .descending { continue }
                candidates.append((key, entry))
            }
            // Sorting whenever twice the page has gathered keeps memory to the page and time to n log p.
            if candidates.count > 2 * (self.pageSize + Self.chunk) { self.trim(&candidates) }
        }
        self.trim(&candidates)
        var page = Page()
        for (key, entry) in candidates {
            guard page.entries.count < self.pageSize, page.bytes < Self.pageBytesMax else {
                page.hasMore = true
                break
            }
            page.add(entry.path, entry.document?.masked(by: self.mask), key: key)
        }
        return self.response(page)
    }

    private func trim(_ candidates: inout [(key: [UInt8], entry: NameScan.Entry)]) {
        candidates.sort { ByteOrder.compare($0.key, $1.key) == .ascending }
        candidates.removeLast(max(0, candidates.count - self.pageSize - 1))
    }

    private struct Page {
        var entries: [(path: ResourcePath, document: Document?)] = []
        var bytes = 0
        var lastKey: [UInt8] = []
        var hasMore = false

        mutating func add(_ path: ResourcePath, _ document: Document?, key: [UInt8]) {
            self.entries.append((path, document))
            self.bytes += path.bytes.count + (document?.wireSizeEstimate ?? 0)
            self.lastKey = key
        }
    }

    private func response(_ page: Page) -> ListDocumentsResponse {
        let documents = page.entries.compactMap { entry in
            DocumentName(database: self.database, path: entry.path).map {
                NamedDocument(name: $0, document: entry.document)
            }
        }
        guard page.hasMore else { return ListDocumentsResponse(documents: documents) }
        let token = PageToken(fingerprint: self.fingerprint, last: page.lastKey)
        return ListDocumentsResponse(
            documents: documents,
            nextPageToken: UTF8Text(String(decoding: token.text, as: UTF8.self))
        )
    }
}
