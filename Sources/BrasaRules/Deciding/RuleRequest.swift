package import BrasaDocuments
package import BrasaQueries

/// What a request is about.
package enum RuleTarget: Sendable {
    case document(ResourcePath)
    case collection(ResourcePath)
    /// All collections of this id, or of any, below a document or the root.
    case collectionGroup(parent: ResourcePath, id: UTF8Text?)

    /// Whether a listing of this may have the document in it.
    func contains(_ document: ResourcePath) -> Bool {
        if case .collection(let path) = self { document.parent == path } else { false }
    }

    /// Where a query looks for documents. One of any collection is judged like one of a group: only a segment for many
    /// covers it.
    package init(_ names: NameRange) {
        if !names.allDescendants, let id = names.collectionID, let path = try? names.parent.appending(id.bytes) {
            self = .collection(path)
        } else {
            self = .collectionGroup(parent: names.parent, id: names.collectionID)
        }
    }
}

/// Who asks: what rules see as `request.auth`.
package struct RuleAuth: Sendable {
    let value: RuleValue

    /// `uid` is nil for a token without a subject.
    package init(uid: UTF8Text?, token: RuleMap) {
        self.value = .map(
            RuleMap([
                (key: "uid", value: uid.map { .string(RuleText($0)) } ?? .null),
                (key: "token", value: .map(token)),
            ])
        )
    }
}

/// A document as rules see it.
package enum RuleDocument: Sendable {
    case fields(EncodedFields)
    case missing
    /// No more than what a query says of each document that it finds.
    case known(RuleMap)

    /// Nil when that cannot be said now.
    init?(_ lookup: RuleLookup) {
        switch lookup {
        case .fields(let fields): self = .fields(fields)
        case .missing: self = .missing
        case .refused, .unknown: return nil
        }
    }
}

/// One operation to be judged. A commit has one for each document that it writes.
package struct RuleRequest: Sendable {
    package var method: RuleMethod
    package var database: UTF8Text
    package var target: RuleTarget
    package var time: Timestamp
    /// Nil for nobody.
    package var auth: RuleAuth?
    /// The document as it is stored: `resource`. Of queries nothing is said here.
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
        stored: RuleDocument = .missing,
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
