internal import BrasaDocuments
internal import BrasaQueries

/// A bundle of documents and named queries, read whole.
struct Bundle: Sendable {
    struct Metadata: Sendable {
        let id: UTF8Text
        let createTime: Timestamp
        let documentCount: Int64
        let byteCount: Int64
    }

    struct Entry: Sendable {
        let document: SyncDocument
        /// Names of the queries that it is a result of.
        let queries: Set<UTF8Text>
        /// Read up to its end, the metadata element aside.
        let endOffset: Int64
    }

    let metadata: Metadata
    private(set) var queries: [NamedQuery] = []
    private(set) var entries: [Entry] = []

    init(_ bytes: [UInt8], database: DatabaseName) throws(BundleError) {
        var elements = BundleElements(bytes)
        guard let first = try elements.next(), let metadata = try first.json["metadata"].map(Metadata.init) else {
            throw .startsWithoutMetadata
        }
        self.metadata = metadata
        let start = first.endOffset
        var pending: DocumentMetadata?
        var queries: [(json: JSONValue, offset: Int)] = []
        while let element = try elements.next() {
            let end = Int64(element.endOffset - start)
            // Some writers put an empty one in the place of a document that does not exist.
            if element.json.object?.isEmpty == true, pending == nil { continue }
            if let json = element.json["document"] {
                guard let head = pending, head.exists else { throw .unpairedDocument }
                self.entries.append(try head.entry(json, database: database, endOffset: end))
                pending = nil
                continue
            }
            guard pending == nil else { throw .unpairedDocument }
            if let json = element.json["documentMetadata"] {
                let head = try DocumentMetadata(json, database: database, offset: element.endOffset)
                if head.exists { pending = head } else { self.entries.append(head.missing(endOffset: end)) }
            } else if let json = element.json["namedQuery"] {
                queries.append((json, element.endOffset))
            } else {
                throw .badElement(offset: element.endOffset)
            }
        }
        guard pending == nil else { throw .unpairedDocument }
        guard Int64(self.entries.count) == metadata.documentCount else {
            throw .documentCount(announced: metadata.documentCount, found: Int64(self.entries.count))
        }
        for (json, offset) in queries {
            let results = json["name"]?.string.flatMap { self.parentOfResults(of: UTF8Text($0)) }
            self.queries.append(try NamedQuery(json, database: database, parentOfResults: results, offset: offset))
        }
    }

    private func parentOfResults(of query: UTF8Text) -> ResourcePath? {
        self.entries.first { $0.queries.contains(query) }?.document.path.parent?.parent
    }
}

/// The elements of a bundle, each a length in decimal digits and so many bytes of JSON.
private struct BundleElements {
    struct Element {
        let json: JSONValue
        let endOffset: Int
    }

    private let bytes: [UInt8]
    private var position = 0

    private static let digitsMax = 16

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil at the end.
    mutating func next() throws(BundleError) -> Element? {
        guard self.position < self.bytes.count else { return nil }
        let digits = self.bytes[self.position...].prefix(Self.digitsMax).prefix { $0 != UInt8(ascii: "{") }
        guard let length = Int(String(decoding: digits, as: UTF8.self)), length > 0,
            length <= self.bytes.count - digits.endIndex
        else { throw .badFraming(offset: self.position) }
        let end = digits.endIndex + length
        guard let json = JSONValue(self.bytes[digits.endIndex..<end]), let members = json.object, members.count <= 1
        else {
            throw .badElement(offset: self.position)
        }
        self.position = end
        return Element(json: json, endOffset: end)
    }
}

/// What stands before a document, or in the place of one that does not exist.
private struct DocumentMetadata {
    private let path: ResourcePath
    private let readTime: Timestamp
    let exists: Bool
    private let queries: Set<UTF8Text>

    init(_ json: JSONValue, database: DatabaseName, offset: Int) throws(BundleError) {
        guard let name = json["name"]?.documentName, let readTime = json["readTime"]?.timestamp else {
            throw .badElement(offset: offset)
        }
        guard name.database == database else { throw .otherDatabase }
        self.path = name.path
        self.readTime = readTime
        self.exists = json["exists"]?.boolean ?? false
        self.queries = Set((json["queries"]?.array ?? []).compactMap { $0.string.map { UTF8Text($0) } })
    }

    func missing(endOffset: Int64) -> Bundle.Entry {
        var document = SyncDocument.missing(self.path, version: self.readTime)
        document.readTime = self.readTime
        return Bundle.Entry(document: document, queries: self.queries, endOffset: endOffset)
    }

    func entry(_ json: JSONValue, database: DatabaseName, endOffset: Int64) throws(BundleError) -> Bundle.Entry {
        guard let name = json["name"]?.documentName, name.path == self.path, name.database == database else {
            throw .unpairedDocument
        }
        guard let updateTime = json["updateTime"]?.timestamp,
            let fields = json["fields"].map({ $0.fields }) ?? .empty
        else { throw .badElement(offset: Int(endOffset)) }
        var document = SyncDocument.found(self.path, fields, version: updateTime)
        document.readTime = self.readTime
        return Bundle.Entry(document: document, queries: self.queries, endOffset: endOffset)
    }
}

extension Bundle.Metadata {
    fileprivate init(_ json: JSONValue) throws(BundleError) {
        guard let id = json["id"]?.string, let createTime = json["createTime"]?.timestamp else {
            throw .startsWithoutMetadata
        }
        let version = json["version"]?.integer ?? 1
        guard version == 1 else { throw .unsupportedVersion(version) }
        self.id = UTF8Text(id)
        self.createTime = createTime
        self.documentCount = json["totalDocuments"]?.integer ?? 0
        self.byteCount = json["totalBytes"]?.integer ?? 0
    }
}

extension NamedQuery {
    /// A known client library writes the query's name as its parent: then it is below what its results are below.
    fileprivate init(
        _ json: JSONValue,
        database: DatabaseName,
        parentOfResults: ResourcePath?,
        offset: Int
    ) throws(BundleError) {
        let bundled = json["bundledQuery"]
        guard let name = json["name"]?.string, let readTime = json["readTime"]?.timestamp,
            let query = bundled?["structuredQuery"]?.structuredQuery, let parentName = bundled?["parent"]?.string
        else { throw .badElement(offset: offset) }
        let parent: ResourcePath
        if let known = try? ParentName(parsing: Array(parentName.utf8)) {
            guard known.database == database else { throw .otherDatabase }
            parent = known.path
        } else {
            guard parentName == name else { throw .badElement(offset: offset) }
            let isGroup = query.from.first?.allDescendants ?? false
            parent = isGroup ? .root : parentOfResults ?? .root
        }
        let limitType: SyncQuery.LimitType = bundled?["limitType"]?.string == "LAST" ? .last : .first
        do {
            let query = try SyncQuery(query, parent: parent, limitType: limitType, database: database)
            self.init(name: UTF8Text(name), query: query, readTime: readTime)
        } catch {
            throw .badElement(offset: offset)
        }
    }
}
