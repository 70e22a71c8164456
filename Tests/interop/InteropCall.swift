/// One thing to do, a line of JSON. The ways lead through different calls of the protocol.
enum InteropCall: Sendable {
    case write(WriteWay, path: String, fields: [String: TaggedValue])
    /// The keys are field paths as text.
    case update(path: String, fields: [String: TaggedValue])
    case read(ReadWay, path: String)
    /// The documents of a collection whose field is equal to the value.
    case find(collection: String, field: String, value: TaggedValue)
    /// Loads a bundle into the cache.
    case load(bundle: String)
    /// The documents of a bundle's query, by the cache.
    case named(String)

    enum WriteWay: String, Decodable, Sendable {
        /// The Write stream.
        case set
        /// Commit.
        case transaction
        /// BatchWrite.
        case bulk
    }

    enum ReadWay: String, Decodable, Sendable {
        /// Listen to a document.
        case document
        /// Listen to a query.
        case query
        /// BatchGetDocuments.
        case transaction
        /// None.
        case cache
    }
}

extension InteropCall: Decodable {
    private enum Key: String, CodingKey {
        case call, way, path, fields, collection, field, value, bundle, name
    }

    private enum Name: String, Decodable {
        case write, update, read, find, load, named
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func content<T: Decodable>(_ key: Key) throws -> T { try container.decode(T.self, forKey: key) }
        switch try content(.call) as Name {
        case .write: self = .write(try content(.way), path: try content(.path), fields: try content(.fields))
        case .update: self = .update(path: try content(.path), fields: try content(.fields))
        case .read: self = .read(try content(.way), path: try content(.path))
        case .find:
            self = .find(collection: try content(.collection), field: try content(.field), value: try content(.value))
        case .load: self = .load(bundle: try content(.bundle))
        case .named: self = .named(try content(.name))
        }
    }
}

/// What came of a call, a line of JSON. What a call does not give is missing.
struct InteropAnswer: Encodable, Sendable {
    /// Of a read; missing when there is no document.
    var fields: [String: TaggedValue]?
    /// Of a search: the documents' IDs.
    var found: [String]?
    var error: String?
}
