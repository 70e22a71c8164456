package import BrasaDocuments

/// What a request is about.
package enum RuleTarget: Sendable {
    case document(ResourcePath)
    case collection(ResourcePath)
    /// All collections of this id below a document or the root.
    case collectionGroup(parent: ResourcePath, id: UTF8Text)
}

/// Who asks: what rules see as `request.auth`.
package struct RuleAuth: Sendable {
    let value: RuleValue

    /// `uid` is nil for a token without a subject.
    package init(uid: UTF8Text?, token: RuleMap) {
        self.value = .map(
            RuleMap([
                RuleMap.Entry(key: "uid", value: uid.map { .string($0) } ?? .null),
                RuleMap.Entry(key: "token", value: .map(token)),
            ])
        )
    }
}

/// What rules see as `request.query`.
package struct RuleQuery: Sendable {
    let value: RuleValue

    /// `order` has field paths, and whether they ascend.
    package init(limit: Int64?, offset: Int64 = 0, order: [(field: UTF8Text, ascends: Bool)] = []) {
        let order = order.map {
            RuleMap.Entry(key: $0.field, value: .string($0.ascends ? "ASC" : "DESC"))
        }
        self.value = .map(
            RuleMap([
                RuleMap.Entry(key: "limit", value: limit.map { .int($0) } ?? .null),
                RuleMap.Entry(key: "offset", value: .int(offset)),
                RuleMap.Entry(key: "orderBy", value: .map(RuleMap(order))),
            ])
        )
    }
}

/// A document as rules see it.
package enum RuleDocument: Sendable {
    case fields(EncodedFields)
    case missing
    /// Not before a query has run.
    case unknown
}

/// One operation to be judged. A commit has one for each document that it writes.
package struct RuleRequest: Sendable {
    package var method: RuleMethod
    package var database: UTF8Text
    package var target: RuleTarget
    package var time: Timestamp
    /// Nil for nobody.
    package var auth: RuleAuth?
    /// The document as it is stored: `resource`.
    package var stored: RuleDocument
    /// The document as a write will leave it: `request.resource`. Nil where nothing is written.
    package var future: RuleDocument?
    /// Nil unless a query is asked.
    package var query: RuleQuery?

    package init(
        _ method: RuleMethod,
        _ target: RuleTarget,
        database: UTF8Text,
        time: Timestamp,
        auth: RuleAuth? = nil,
        stored: RuleDocument,
        future: RuleDocument? = nil,
        query: RuleQuery? = nil
    ) {
        self.method = method
        self.database = database
        self.target = target
        self.time = time
        self.auth = auth
        self.stored = stored
        self.future = future
        self.query = query
    }

    /// The document that the request is about; nil for listings.
    var document: ResourcePath? {
        if case .document(let path) = self.target { path } else { nil }
    }
}
