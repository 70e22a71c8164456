import BrasaDocuments
import BrasaQueries

@testable import BrasaSync

/// A server with documents: what the fake streams are to say is worked out instead of told.
final class FakeServer {
    struct Stored {
        var version: Int64
        /// Nil: deleted.
        var fields: EncodedFields?
    }

    private struct Listening {
        let target: SyncTarget
        let query: SyncQuery
        var isCurrent = false
        var sentVersion: Int64 = 0
        var sentKeys: Set<ResourcePath> = []
    }

    private let transport: FakeTransport
    private(set) var version: Int64 = 100
    private(set) var documents: [ResourcePath: Stored] = [:]
    private var listening: [WireTargetID: Listening] = [:]
    /// A token may be that of many targets.
    private var tokens: [[UInt8]: [SyncTarget: (version: Int64, keys: Set<ResourcePath>)]] = [:]
    private var requests: [WatchRequest] = []

    init(_ transport: FakeTransport) {
        self.transport = transport
        transport.watchOpened = { [unowned self] in
            self.listening = [:]
            self.requests = []
        }
        transport.watchSent = { [unowned self] in self.requests.append($0) }
    }

    var hasRequests: Bool { !self.requests.isEmpty }

    // MARK: - Documents

    /// Commits writes; nil when a precondition fails.
    func commit(_ writes: [Write]) -> WriteMessage? {
        self.version += 1
        let time = Timestamp(microseconds: self.version)
        var changed = self.documents
        var results: [WriteResult] = []
        for write in writes {
            let stored = changed[write.name.path]
            let base = stored?.fields.map {
                let updateTime = Timestamp(microseconds: stored?.version ?? 0)
                return Document(fields: $0, createTime: .zero, updateTime: updateTime)
            }
            var edit = DocumentEdit(name: write.name, base: base)
            guard let transformed = try? edit.apply(write, requestTime: time), let outcome = try? edit.finish() else {
                return nil
            }
            var updateTime = time
            switch outcome {
            case .unchanged: updateTime = base?.updateTime ?? time
            case .changed(let fields, _): changed[write.name.path] = Stored(version: self.version, fields: fields)
            case .deleted: changed[write.name.path] = Stored(version: self.version, fields: nil)
            }
            results.append(WriteResult(updateTime: updateTime, transformResults: transformed))
        }
        self.documents = changed
        return WriteMessage(streamToken: [3], commitTime: time, results: results)
    }

    /// The documents of a query, in its order.
    func results(of query: SyncQuery) -> [SyncDocument] {
        var found = DocumentSet(order: query.order)
        for (path, stored) in self.documents {
            guard let fields = stored.fields else { continue }
            let document = SyncDocument.found(path, fields, version: Timestamp(microseconds: stored.version))
            if query.matches(document) { found.insert(document) }
        }
        if let limit = query.limit { _ = found.trim(to: limit, keepingFirst: query.limitType == .first) }
        return Array(found)
    }

    /// Answers the oldest question that was asked past the streams; false when there is none.
    func answerRead() throws -> Bool {
        guard let question = self.transport.questions.first else { return false }
        let time = Timestamp(microseconds: self.version)
        let query = try Self.query(of: question.target)
        var documents = self.results(of: query)
        if case .document(let path) = question.target, documents.isEmpty {
            documents = [.missing(path, version: time)]
        }
        for index in documents.indices { documents[index].readTime = time }
        self.transport.answerRead(.success(ServerAnswer(documents: documents, readTime: time)))
        return true
    }

    // MARK: - Listening

    /// Answers the oldest request. A forgetful server does not say what has left a resumed target, only how many
    /// documents it has.
    func answerRequest(isForgetful: Bool) throws {
        guard !self.requests.isEmpty else { return }
        switch self.requests.removeFirst() {
        case .remove(let id):
            self.listening[id] = nil
            self.transport.say(.target(.init(.remove, targets: [id])))
        case .add(let request):
            var listening = Listening(target: request.target, query: try Self.query(of: request.target))
            if case .token(let token)? = request.resumption {
                guard let known = self.tokens[token]?[request.target] else {
                    throw SpecFailure("the token was not given to \(request.target)")
                }
                listening.sentVersion = known.version
                listening.sentKeys = known.keys
            }
            self.transport.say(.target(.init(.add, targets: [request.id])))
            if isForgetful, !listening.sentKeys.isEmpty, listening.query.limit == nil {
                let results = self.results(of: listening.query)
                listening.sentKeys.formIntersection(results.map(\.path))
                self.sayChanges(of: request.id, &listening)
                self.transport.say(.filter(target: request.id, count: Int32(results.count), bloomFilter: nil))
            }
            self.listening[request.id] = listening
        }
    }

    /// Tells all listeners of everything up to now, and gives each a token or all of them one.
    func raiseSnapshot(sharesToken: Bool) {
        let shared = sharesToken ? Array("all \(self.version)".utf8) : []
        for (id, var listening) in self.listening {
            self.sayChanges(of: id, &listening)
            let token = sharesToken ? shared : Array("\(id) \(self.version)".utf8)
            self.tokens[token, default: [:]][listening.target] = (self.version, listening.sentKeys)
            if !listening.isCurrent {
                self.transport.say(.target(.init(.current, targets: [id], resumeToken: token)))
            } else if !sharesToken {
                self.transport.say(.target(.init(.noChange, targets: [id], resumeToken: token)))
            }
            listening.isCurrent = true
            self.listening[id] = listening
        }
        let time = Timestamp(microseconds: self.version)
        self.transport.say(.target(.init(.noChange, targets: [], resumeToken: shared, readTime: time)))
    }

    private func sayChanges(of id: WireTargetID, _ listening: inout Listening) {
        let results = self.results(of: listening.query)
        let keys = Set(results.map(\.path))
        for document in results
        where document.version.microseconds > listening.sentVersion || !listening.sentKeys.contains(document.path) {
            self.transport.say(.document(document, targets: [id], removed: []))
        }
        for path in listening.sentKeys.subtracting(keys) {
            guard let stored = self.documents[path] else { continue }
            let version = Timestamp(microseconds: stored.version)
            if let fields = stored.fields {
                self.transport.say(.document(.found(path, fields, version: version), targets: [], removed: [id]))
            } else {
                self.transport.say(.delete(path, version: version, removed: [id]))
            }
        }
        listening.sentVersion = self.version
        listening.sentKeys = keys
    }

    private static func query(of target: SyncTarget) throws -> SyncQuery {
        switch target {
        case .document(let path): return SyncQuery(document: path)
        case .query(let query, let parent):
            return try SyncQuery(query, parent: parent, database: SpecModel.database())
        case .bundle: throw SpecFailure("a bundle is never sent")
        }
    }
}
