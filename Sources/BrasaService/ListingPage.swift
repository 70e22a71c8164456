import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStore

/// The documents of one page of a listing, as they are found.
struct ListingPage {
    typealias Entry = (path: ResourcePath, document: Document?)

    /// A page ends early when its documents come to this many bytes, well below what clients receive.
    private static let bytesMax = 4 << 20
    /// What a step takes in, and names that it looks at, about.
    private static let entriesPerStep = 64
    private static let stepsMax = 1_024

    private let listing: DocumentListing
    private var documents: [NamedDocument] = []
    private var bytes = 0
    private var last: Entry?
    /// What comes after the page, the last thing seen; nil at the end of the listing.
    private(set) var next: Entry?

    init(_ listing: DocumentListing) {
        self.listing = listing
    }

    /// Adds the entry that comes next. Returns whether the page takes more; that there is one behind it must be found out
    /// by adding it.
    mutating func add(_ path: ResourcePath, _ document: Document?) -> Bool {
        guard self.documents.count < self.listing.pageSize, self.bytes < Self.bytesMax else {
            self.next = (path, document)
            return false
        }
        guard let name = DocumentName(database: self.listing.database, path: path) else { return true }
        let masked = document?.masked(by: self.listing.mask)
        self.documents.append(NamedDocument(name: name, document: masked))
        self.bytes += path.bytes.count + (masked?.wireSizeEstimate ?? 0)
        self.last = (path, document)
        return true
    }

    /// One step; whether the page is complete.
    mutating func fill(from scan: inout NameScan) throws(StoreError) -> Bool {
        var steps = Self.stepsMax
        // One more than the page, so that a page that ends at the last document has no token.
        let rest = self.listing.pageSize + 1 - self.documents.count
        for entry in try scan.next(min(rest, Self.entriesPerStep), steps: &steps) {
            guard self.add(entry.path, entry.document) else { return true }
        }
        return scan.isAtEnd
    }

    var response: ListDocumentsResponse {
        guard self.next != nil, let last = self.last.flatMap({ self.position(of: $0) }) else {
            return ListDocumentsResponse(documents: self.documents)
        }
        let token = PageToken(fingerprint: self.listing.fingerprint, last: last)
        return ListDocumentsResponse(
            documents: self.documents,
            nextPageToken: UTF8Text(String(decoding: token.text, as: UTF8.self))
        )
    }

    /// What the next page's token says of the last document of this one.
    private func position(of entry: Entry) -> [UInt8]? {
        guard case .query = self.listing.source else { return entry.path.bytes.array }
        guard let document = entry.document,
            let name = DocumentName(database: self.listing.database, path: entry.path)
        else { return nil }
        return OrderValues(of: document, named: name, in: self.listing.order)?.bytes
    }

    /// The part of the listing that the page has seen, when there is more.
    var range: QueryRange? {
        guard let next = self.next else { return nil }
        switch self.listing.source {
        case .names(var names):
            let bound = NameBound(path: next.path, isInclusive: true)
            if self.listing.order.isNameDescending {
                names.lower = NameBound.higher(names.lower, bound)
            } else {
                names.upper = NameBound.lower(names.upper, bound)
            }
            return QueryRange(names: names)
        case .query(let query):
            guard let document = next.document else { return nil }
            let key = query.order.key(path: next.path, fields: document.fields)
            return key.map { QueryRange(query, through: $0) }
        }
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
