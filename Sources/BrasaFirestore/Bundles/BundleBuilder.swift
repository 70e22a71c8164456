internal import BrasaClientNetwork
internal import BrasaCredentials
internal import BrasaDocuments
internal import BrasaMessages
internal import BrasaSync
internal import BrasaWire
internal import NIOPosix

/// Makes a bundle of what a running server has, all of it read at one time.
package struct BundleBuilder: Sendable {
    package struct NamedQuery: Sendable {
        package var name: String
        /// See `BundleQuery`.
        package var json: String

        package init(name: String, json: String) {
            self.name = name
            self.json = json
        }
    }

    private let server: ServerAddress
    private let isEncrypted: Bool
    private let token: String?
    private let database: DatabaseName

    /// `server` as `HOST:PORT`. Without a `token`, a server without TLS is sent what emulators take for their owner, and
    /// one with TLS nothing.
    package init(
        server: String,
        isEncrypted: Bool,
        token: String? = nil,
        project: String,
        database: String
    ) throws(BundleBuildingError) {
        guard let server = ServerAddress(server, defaultPort: ServerAddress.defaultPort(isEncrypted: isEncrypted))
        else {
            throw BundleBuildingError("\"\(server)\" is no HOST:PORT")
        }
        guard let name = try? DatabaseName(project: UTF8Text(project), database: UTF8Text(database)) else {
            throw BundleBuildingError("there is no database \"\(database)\" of a project \"\(project)\"")
        }
        if let fault = token.flatMap(BearerToken.fault) { throw BundleBuildingError(fault) }
        self.server = server
        self.isEncrypted = isEncrypted
        self.token = token ?? (isEncrypted ? nil : "owner")
        self.database = name
    }

    /// The bundle's bytes. `documents` are paths; those that do not exist are in the bundle as such.
    package func build(
        id: String,
        documents: [String],
        queries: [NamedQuery]
    ) async throws(BundleBuildingError) -> [UInt8] {
        var names: [DocumentName] = []
        for text in documents {
            let path = try? ResourcePath(parsing: Array(text.utf8))
            guard let path, let name = DocumentName(database: self.database, path: path) else {
                throw BundleBuildingError("\"\(text)\" is no path of a document")
            }
            names.append(name)
        }
        var named: [BundleQuery] = []
        for query in queries { named.append(try self.parse(query)) }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let channel: CallChannel
        do {
            let security = self.isEncrypted ? ChannelSecurity.tls(.init()) : .plaintext
            channel = try CallChannel(.init(server: self.server, security: security), eventLoop: eventLoop)
        } catch {
            throw BundleBuildingError(error.description)
        }
        let credentials = Credentials(fixed: self.token, eventLoop: eventLoop)
        let caller = Caller(channel: channel, database: self.database, credentials: credentials)
        var reading = BundleReading(datastore: Datastore(caller), id: UTF8Text(id))
        let result = await reading.read(names, named)
        await channel.close()
        do {
            try result.get()
        } catch {
            throw BundleBuildingError("\(self.server): \(error)")
        }
        return reading.writer.finish()
    }

    private func parse(_ query: NamedQuery) throws(BundleBuildingError) -> BundleQuery {
        do {
            return try BundleQuery(
                name: UTF8Text(query.name),
                json: Array(query.json.utf8),
                database: self.database
            )
        } catch {
            throw BundleBuildingError("the query \"\(query.name)\" cannot be bundled: \(error)")
        }
    }
}

package struct BundleBuildingError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Fills a bundle. The first call's read time is that of all others.
private struct BundleReading {
    private let datastore: Datastore
    private(set) var writer: BundleWriter
    private var time: BrasaDocuments.Timestamp?

    private static let documentsOfACall = 500

    init(datastore: Datastore, id: UTF8Text) {
        self.datastore = datastore
        self.writer = BundleWriter(id: id, database: datastore.database)
    }

    mutating func read(_ documents: [DocumentName], _ queries: [BundleQuery]) async -> Result<Void, CallError> {
        do throws(CallError) {
            for start in stride(from: 0, to: documents.count, by: Self.documentsOfACall) {
                try await self.read(Array(documents[start...].prefix(Self.documentsOfACall)))
            }
            for query in queries { try await self.read(query) }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private var consistency: ReadConsistency { self.time.map { .readTime(ReadTime($0)) } ?? .strong }

    private mutating func read(_ names: [DocumentName]) async throws(CallError) {
        let request = BatchGetDocumentsRequest(
            database: self.datastore.database,
            documents: names,
            consistency: self.consistency
        )
        for response in try await self.datastore.batchGetDocuments(request) {
            guard let time = self.take(response.readTime) else { continue }
            switch response.result {
            case .found(let found)?: self.writer.add(found.name.path, found.document, readTime: time)
            case .missing(let name)?: self.writer.add(name.path, nil, readTime: time)
            case nil: break
            }
        }
    }

    private mutating func read(_ query: BundleQuery) async throws(CallError) {
        let request = RunQueryRequest(parent: query.parent, query: query.asked, consistency: self.consistency)
        var results: [(path: ResourcePath, document: Document)] = []
        for response in try await self.datastore.runQuery(request) {
            _ = self.take(response.readTime)
            guard let found = response.document, let document = found.document else { continue }
            results.append((found.name.path, document))
        }
        _ = self.writer.add(query, results: results, readTime: self.time ?? .zero)
    }

    private mutating func take(_ time: BrasaDocuments.Timestamp?) -> BrasaDocuments.Timestamp? {
        if self.time == nil { self.time = time }
        return self.time
    }
}
