package import BrasaDocuments
internal import BrasaQueries

/// Random documents and queries over few fields and few values, so that things meet: equal values of different types,
/// missing fields, equal places in the order, names on both sides of a bound. The same seed makes the same cases.
package struct QueryCaseGenerator: Sendable {
    package var random: SeededRandom
    package let database: DatabaseName

    package init(seed: UInt64, database: DatabaseName) {
        self.random = SeededRandom(seed: seed)
        self.database = database
    }

    /// A valid query and documents for it.
    package mutating func next(documentsMax: Int = 30) -> QueryCase {
        let documents = self.documents(count: self.random.below(documentsMax + 1))
        while true {
            let (query, parent) = self.query(on: documents)
            let made = QueryCase(documents: documents, query: query, parent: parent)
            if made.checked != nil { return made }
        }
    }

    // MARK: Documents

    /// At most so many, with distinct paths.
    package mutating func documents(count: Int) -> [ModelDocument] {
        var documents: [ResourcePath: ModelDocument] = [:]
        for _ in 0..<count {
            let path = self.path()
            documents[path] = ModelDocument(path: path, entries: self.entries())
        }
        return documents.values.sorted { $0.path < $1.path }
    }

    package mutating func path() -> ResourcePath {
        var path = ResourcePath.root
        for _ in 0..<self.random.pick([1, 1, 1, 1, 1, 1, 2, 2, 3]) {
            let collection = self.random.pick(["c", "c", "c", "c", "d", "c-"])
            let document = self.random.pick([
                "__id5__", "__id12__", "__id-1__", "1", "12", "a", "a", "a-", "b", "c", "é", "a\u{0}", "x", "y", "z",
                "e", "f", "g", "h", "i", "j", "k", "l", "m", "n",
            ])
            // Both are legal ids, and three levels stay far below the limits.
            path = (try? path.appending(collection.utf8).appending(document.utf8)) ?? path
        }
        return path
    }

    package mutating func entries() -> [Value.MapEntry] {
        var entries: [Value.MapEntry] = []
        for name in ["a", "b", "c", "m", "t", "v"] where !self.random.chance(8) {
            entries.append(Value.MapEntry(key: UTF8Text(name), value: self.value(ofField: name)))
        }
        return entries
    }

    private mutating func value(ofField name: String) -> Value {
        if self.random.chance(16) { return self.anyValue() }
        switch name {
        case "a": return self.number()
        case "b": return self.text()
        case "m": return self.map()
        case "t": return self.array()
        case "v": return self.vector()
        default: return self.anyValue()
        }
    }

    // MARK: Values

    package mutating func anyValue() -> Value {
        switch self.random.below(12) {
        case 0: .null
        case 1: .boolean(self.random.chance(2))
        case 2, 3: self.number()
        case 4: .timestamp(Timestamp(microseconds: Int64(self.random.below(3) - 1)))
        case 5: self.text()
        case 6: .bytes(self.random.pick([[], [0], [0, 1], [1], [255]]))
        case 7: self.reference()
        case 8: .geoPoint(latitude: self.random.pick([0, -0.0, 1]), longitude: self.random.pick([0, 7]))
        case 9: self.array()
        case 10: self.vector()
        default: self.map()
        }
    }

    package mutating func number() -> Value {
        if self.random.chance(2) { return self.random.pick([.integer(1), .integer(2), .double(1), .double(1.5)]) }
        let wide: Int64 = 1 << 53
        return self.random.pick([
            .integer(0), .integer(1), .integer(1), .integer(2), .integer(3), .double(0), .double(-0.0), .double(1),
            .double(1.5), .double(2), .double(-1), .double(.nan), .double(.infinity), .double(-.infinity),
            .integer(wide), .integer(wide + 1), .double(Double(wide)), .integer(.max), .integer(.min), .double(0x1p63),
            .null,
        ])
    }

    private mutating func text() -> Value {
        .string(self.random.pick(["", "a", "a", "b", "ab", "a\u{0}", "é", "😀"]))
    }

    private mutating func array() -> Value {
        .array((0..<self.random.below(4)).map { _ in self.element() })
    }

    /// What an array may hold.
    private mutating func element() -> Value {
        switch self.random.below(4) {
        case 0: self.text()
        case 1: self.random.pick([.map([]), .map(sorting: [Value.MapEntry(key: "x", value: self.number())])])
        default: self.number()
        }
    }

    private mutating func map() -> Value {
        var entries: [Value.MapEntry] = []
        for key: UTF8Text in ["x", "y", "a.b"] where self.random.chance(2) {
            entries.append(Value.MapEntry(key: key, value: self.random.chance(3) ? self.text() : self.number()))
        }
        return .map(sorting: entries)
    }

    package mutating func vector() -> Value {
        let count = self.random.pick([1, 2, 2, 2, 3, 9])
        return .vector((0..<count).map { _ in self.random.pick([0, 1, -1, 2, 0.5]) })
    }

    /// To a document of any database, often of the queries' own.
    private mutating func reference() -> Value {
        let other = try? DatabaseName(project: "p", database: "other")
        let database = self.random.chance(4) ? other ?? self.database : self.database
        let name = DocumentName(database: database, path: self.path())
        return name.map { .reference($0) } ?? .null
    }

    /// To a document of the queries' database.
    mutating func ownReference() -> Value {
        DocumentName(database: self.database, path: self.path()).map { .reference($0) } ?? .null
    }
}
