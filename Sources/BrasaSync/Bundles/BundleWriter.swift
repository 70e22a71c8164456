import BrasaBytes
package import BrasaDocuments

/// Makes a bundle of documents and named queries.
///
/// A bundle begins with how many documents and bytes it has, so everything is kept until the end.
package struct BundleWriter {
    /// Zero until there is something in it.
    private var createTime = Timestamp.zero
    private let id: UTF8Text
    private let database: DatabaseName
    private var queries: [(query: BundleQuery, readTime: Timestamp)] = []
    private var documents: [Entry] = []
    private var places: [ResourcePath: Int] = [:]

    private struct Entry {
        let name: DocumentName
        /// Nil when it does not exist.
        var document: Document?
        var readTime: Timestamp
        var queries: [UTF8Text] = []
    }

    package init(id: UTF8Text, database: DatabaseName) {
        self.id = id
        self.database = database
    }

    /// Of one document's states the one that was read last counts. False: it is no document of this database.
    @discardableResult
    package mutating func add(_ path: ResourcePath, _ document: Document?, readTime: Timestamp) -> Bool {
        guard let name = DocumentName(database: self.database, path: path) else { return false }
        self.createTime = max(self.createTime, readTime)
        guard let place = self.places[path] else {
            self.places[path] = self.documents.count
            self.documents.append(Entry(name: name, document: document, readTime: readTime))
            return true
        }
        guard self.documents[place].readTime <= readTime else { return true }
        self.documents[place].document = document
        self.documents[place].readTime = readTime
        return true
    }

    /// `results` are all that the query has. False: the name is taken.
    package mutating func add(
        _ query: BundleQuery,
        results: [(path: ResourcePath, document: Document)],
        readTime: Timestamp
    ) -> Bool {
        guard !self.queries.contains(where: { $0.query.name == query.name }) else { return false }
        self.createTime = max(self.createTime, readTime)
        self.queries.append((query, readTime))
        for result in results where self.add(result.path, result.document, readTime: readTime) {
            guard let place = self.places[result.path] else { continue }
            self.documents[place].queries.append(query.name)
        }
        return true
    }

    /// The whole bundle. It is as old as the newest read in it: loaded again it is known, and a later one is newer.
    package func finish() -> [UInt8] {
        var elements: [UInt8] = []
        for (query, readTime) in self.queries {
            Self.append("namedQuery", to: &elements) { $0.namedQuery(query, readTime) }
        }
        for entry in self.documents {
            Self.append("documentMetadata", to: &elements) { writer in
                writer.object { writer in
                    writer.member("name", entry.name.string)
                    writer.member("readTime") { $0.timestamp(entry.readTime) }
                    if entry.document != nil { writer.member("exists") { $0.boolean(true) } }
                    if !entry.queries.isEmpty {
                        writer.member("queries") { $0.array(entry.queries) { $1.string($0.bytes) } }
                    }
                }
            }
            guard let document = entry.document else { continue }
            Self.append("document", to: &elements) { $0.document(document, entry.name) }
        }
        var bundle: [UInt8] = []
        Self.append("metadata", to: &bundle) { self.writeMetadata(byteCount: elements.count, to: &$0) }
        return bundle + elements
    }

    private func writeMetadata(byteCount: Int, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id") { $0.string(self.id.bytes) }
            writer.member("createTime") { $0.timestamp(self.createTime) }
            writer.member("version") { $0.number(1) }
            writer.member("totalDocuments") { $0.number(self.documents.count) }
            writer.member("totalBytes", byteCount.description)
        }
    }

    /// An object of one member, its length in bytes before it.
    private static func append(_ kind: String, to bundle: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object { $0.member(kind, body) }
        bundle.append(contentsOf: writer.bytes.count.description.utf8)
        bundle.append(contentsOf: writer.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func namedQuery(_ query: BundleQuery, _ readTime: Timestamp) {
        self.object { writer in
            writer.member("name") { $0.string(query.name.bytes) }
            writer.member("bundledQuery") { writer in
                writer.object { writer in
                    writer.member("parent", query.parent.string)
                    writer.member("structuredQuery") { $0.query(query.query) }
                    if query.limitType == .last { writer.member("limitType", "LAST") }
                }
            }
            writer.member("readTime") { $0.timestamp(readTime) }
        }
    }
}
