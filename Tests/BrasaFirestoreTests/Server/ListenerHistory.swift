import BrasaDocuments
import BrasaQueryModel
import BrasaSync
import Foundation

@testable import BrasaFirestore

/// A document's content, as it is written and as the model has it.
struct StoryContent: Sendable {
    var n: Int?
    var tag: String?
    var list: [Int]
    /// Another one for each write, so that no two states are the same.
    var version: Int

    var data: [String: Any] {
        var data: [String: Any] = ["list": self.list, "version": self.version]
        if let n { data["n"] = n }
        if let tag { data["tag"] = tag }
        return data
    }

    var entries: [Value.MapEntry] {
        func integer(_ number: Int) -> Value { .integer(Int64(number)) }
        var entries = [Value.MapEntry(key: "list", value: .array(self.list.map(integer)))]
        if let n { entries.append(Value.MapEntry(key: "n", value: integer(n))) }
        if let tag { entries.append(Value.MapEntry(key: "tag", value: .string(UTF8Text(tag)))) }
        entries.append(Value.MapEntry(key: "version", value: integer(self.version)))
        return entries
    }
}

/// What a listener shows of a document.
struct ShownDocument: Equatable, Sendable, CustomStringConvertible {
    let path: ResourcePath
    let fields: EncodedFields

    init(_ document: ModelDocument) {
        (self.path, self.fields) = (document.path, document.fields)
    }

    init(_ snapshot: DocumentSnapshot) {
        self.path = sound(try snapshot.reference.resource)
        self.fields = snapshot.fields ?? EncodedFields(encoding: [])
    }

    var version: Int {
        guard case .integer(let version)? = self.fields.value(at: sound(try FieldPath(["version"]).stored)) else {
            return 0
        }
        return Int(version)
    }

    var description: String { "\(self.path): \(self.version)" }
}

/// Every state of the database since the beginning, one for each commit.
struct StoryHistory {
    private(set) var states: [[ResourcePath: ModelDocument]] = [[:]]
    /// What made each state, for people who read about a failure.
    private(set) var causes = [""]

    var last: Int { self.states.count - 1 }

    /// The new contents of documents, or nil for a deletion.
    mutating func commit(_ writes: [ResourcePath: StoryContent?], by writer: String) {
        var state = self.states[self.last]
        for (path, content) in writes {
            state[path] = content.map { ModelDocument(path: path, entries: $0.entries) }
        }
        self.states.append(state)
        let texts = writes.map { "\($0): \($1.map { "\($0.version)" } ?? "-")" }
        self.causes.append("\(writer) \(texts.joined(separator: ", "))")
    }
}

/// What is listened to, and what the model says that it shows.
struct Subject: Sendable {
    enum Kind: Sendable {
        case document(DocumentReference)
        case query(Query)
    }

    let name: String
    let kind: Kind

    func results(in state: [ResourcePath: ModelDocument]) throws -> [ShownDocument] {
        switch self.kind {
        case .document(let document):
            return state[try document.resource].map { [ShownDocument($0)] } ?? []
        case .query(let query):
            let definition = query.definition
            guard let parent = ParentName(database: query.firestore.database, path: definition.parent) else {
                return []
            }
            let isLast = definition.limitKind == .last
            let structured = try definition.structured()
            let asked = isLast ? structured.mirrored : structured
            let results = QueryModel(asked, parent: parent).results(among: Array(state.values)).map(ShownDocument.init)
            return isLast ? results.reversed() : results
        }
    }

    /// Queries with and without filters, orders, limits and cursors on collections and groups.
    static func all(of db: Firestore) -> [Subject] {
        let (c, d, group) = (db.collection("c"), db.collection("d"), db.collectionGroup("c"))
        let documents = ["c/a", "d/b/c/f"].map { Subject(name: $0, kind: .document(db.document($0))) }
        let queries: [(String, Query)] = [
            ("collection", c),
            ("collection group", group),
            ("equality", c.whereField("tag", isEqualTo: "red")),
            ("inequality", c.whereField("n", isLessThan: 5)),
            (
                "range",
                c.whereField("n", isGreaterThanOrEqualTo: 2).whereField("n", isLessThan: 7)
                    .order(by: "n", descending: true)
            ),
            ("not equal", d.whereField("tag", isNotEqualTo: "red")),
            ("in", group.whereField("tag", in: ["red", "blue"])),
            ("array contains", c.whereField("list", arrayContains: 2)),
            (
                "either",
                c.whereFilter(.orFilter([.whereField("n", isGreaterThan: 6), .whereField("tag", isEqualTo: "red")]))
            ),
            ("ordered twice", group.order(by: "tag", descending: true).order(by: "n")),
            ("limited", c.limit(to: 3)),
            ("ordered and limited", c.order(by: "n", descending: true).limit(to: 3)),
            ("the last", c.order(by: "n").limit(toLast: 2)),
            ("inequality and limited", c.whereField("n", isGreaterThanOrEqualTo: 1).limit(to: 2)),
            (
                "filtered, ordered and limited",
                group.whereField("tag", isEqualTo: "red").order(by: "n").limit(to: 2)
            ),
            ("from a cursor", c.order(by: "n").start(at: [4])),
            ("from a cursor, limited", c.order(by: "n", descending: true).start(at: [6]).limit(to: 2)),
        ]
        return documents + queries.map { Subject(name: $0.0, kind: .query($0.1)) }
    }
}
