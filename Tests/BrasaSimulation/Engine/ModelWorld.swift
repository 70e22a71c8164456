import BrasaDocuments
import BrasaQueries

/// The documents that simulated clients use. The model knows them by their index.
enum ModelWorld {
    static let names = [
        "a/0", "a/1", "a/2", "a/3", "b/0", "b/0/s/0", "b/0/s/1", "b/1", "b/1/s/0", "hot/0",
        "count/0", "jobs/0", "jobs/1", "jobs/2", "jobs/3", "jobs/4", "jobs/5",
    ]

    static let paths: [ResourcePath] = Self.names.map { name in
        guard let path = try? ResourcePath(parsing: Array(name.utf8)) else { preconditionFailure(name) }
        return path
    }

    /// Only ever counted up, by clients that repeat what they are invited to repeat.
    static let counter = 10
    /// Those before it are written and read by everybody.
    static var shared: Range<Int> { 0..<Self.counter }

    /// Those of a queue, made, put off and done by who works there.
    static let jobs = 11..<17

    static var indices: Range<Int> { Self.names.indices }

    static func index(of path: ResourcePath) -> Int? { Self.paths.firstIndex(of: path) }

    /// Ranges that clients scan, with what the model thinks is in them: plain lists, made by hand.
    static let scans: [(range: NameRange, documents: [Int])] = [
        (NameRange(parent: .root, collectionID: "a", allDescendants: false), [0, 1, 2, 3]),
        (NameRange(parent: .root, collectionID: "b", allDescendants: false), [4, 7]),
        (NameRange(parent: .root, collectionID: "s", allDescendants: true), [5, 6, 8]),
        (NameRange(parent: paths[4], collectionID: "s", allDescendants: false), [5, 6]),
        (
            NameRange(
                parent: .root,
                collectionID: "a",
                allDescendants: false,
                lower: NameBound(path: paths[1], isInclusive: true),
                upper: NameBound(path: paths[3], isInclusive: false)
            ),
            [1, 2]
        ),
    ]

    // MARK: Documents

    static func fields(number: Int64, writer: Int64) -> EncodedFields {
        EncodedFields(encoding: [
            Value.MapEntry(key: "n", value: .integer(number)), Value.MapEntry(key: "w", value: .integer(writer)),
        ])
    }

    static func document(_ document: Document) -> ModelDocument? {
        var numbers: [String: Int64] = [:]
        for entry in document.fields.decoded {
            guard case .integer(let number) = entry.value else { return nil }
            numbers[entry.key.string] = number
        }
        guard numbers.count == 2, let number = numbers["n"], let writer = numbers["w"] else { return nil }
        return ModelDocument(
            number: number,
            writer: writer,
            createTime: document.createTime.microseconds,
            updateTime: document.updateTime.microseconds
        )
    }
}

struct ModelDocument: Hashable {
    var number: Int64
    /// Of the write that made it; distinct for nearly all.
    var writer: Int64
    var createTime: Int64
    var updateTime: Int64
}
