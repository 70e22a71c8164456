import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaWire

/// The documents of one page of a listing, as they are found.
struct ListingPage {
    /// A page ends early when its documents come to this many bytes, well below what clients receive.
    private static let bytesMax = 4 << 20

    private let listing: DocumentListing
    private var entries: [(path: ResourcePath, document: Document?)] = []
    private var bytes = 0
    private var hasMore = false

    init(_ listing: DocumentListing) {
        self.listing = listing
    }

    /// Adds the entry that comes next. Returns whether the page takes more; that there is one behind it must be found out
    /// by adding it.
    mutating func add(_ path: ResourcePath, _ document: Document?) -> Bool {
        guard self.entries.count < self.listing.pageSize, self.bytes < Self.bytesMax else {
            self.hasMore = true
            return false
        }
        self.entries.append((path, document))
        self.bytes += path.bytes.count + (document?.masked(by: self.listing.mask).wireSizeEstimate ?? 0)
        return true
    }

    /// In one go: a page of names is bounded work.
    mutating func fill(from scan: NameScan) throws(StoreError) {
        var scan = scan
        // One more than the page, so that a page that ends at the last document has no token.
        for entry in try scan.next(self.listing.pageSize + 1) {
            guard self.add(entry.path, entry.document) else { return }
        }
    }

    var response: ListDocumentsResponse {
        let documents = self.entries.compactMap { entry in
            DocumentName(database: self.listing.database, path: entry.path).map {
                NamedDocument(name: $0, document: entry.document?.masked(by: self.listing.mask))
            }
        }
        guard self.hasMore, let last = self.entries.last.flatMap({ self.position(of: $0.path, $0.document) }) else {
            return ListDocumentsResponse(documents: documents)
        }
        let token = PageToken(fingerprint: self.listing.fingerprint, last: last)
        return ListDocumentsResponse(
            documents: documents,
            nextPageToken: UTF8Text(String(decoding: token.text, as: UTF8.self))
        )
    }

    /// What the next page's token says of the last document of this one.
    private func position(of path: ResourcePath, _ document: Document?) -> [UInt8]? {
        guard case .query = self.listing.source else { return path.bytes }
        guard let document, let name = DocumentName(database: self.listing.database, path: path) else { return nil }
        return OrderValues(of: document, named: name, in: self.listing.order)?.bytes
    }
}

/// A document's values of the fields of an order, and its name: where a listing by fields goes on. Each value stands as
/// its length (4 bytes, big-endian) and its encoding.
struct OrderValues {
    let values: [Value]

    /// Nil when the document lacks a field, and so is not listed.
    init?(of document: Document, named name: DocumentName, in order: ListOrder) {
        var values: [Value] = []
        for field in order.fields {
            guard let value = document.fields.value(at: field.path) else { return nil }
            values.append(value)
        }
        self.values = values + [.reference(name)]
    }

    /// Nil when the bytes are no values.
    init?(parsing bytes: [UInt8]) {
        var values: [Value] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count <= rest.count, let value = try? Value(decoding: Array(rest.prefix(count))) else { return nil }
            values.append(value)
            rest = rest.dropFirst(count)
        }
        self.values = values
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for value in self.values {
            let encoded = value.encoded()
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: encoded.count >> shift)) }
            bytes.append(contentsOf: encoded)
        }
        return bytes
    }
}
