import Foundation

/// What one line asks for.
enum WorkerCall: Decodable, Sendable {
    /// A batch. The answer says that it is in the cache, not that the server has it.
    case write([Operation])
    case network(enabled: Bool)
    case listen(collections: [String])
    /// What the cache says of a document.
    case cached(path: String)
    /// Waits until the server has answered all writes, and until the document in the first collection has the number; then
    /// gives what the collections look like to listeners and in the cache.
    case settle(collections: [String], fence: String, number: Int)

    struct Operation: Decodable, Sendable {
        enum Kind: String, Decodable {
            case set, merge, delete, union, increment
        }

        let kind: Kind
        let path: String
        let fields: [String: Content]?
        /// For union and increment, in the field "list" or "count".
        let number: Int?
    }

    private enum Key: String, CodingKey {
        case call, operations, enabled, collections, path, fence, number
    }

    init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: Key.self)
        let call = try box.decode(String.self, forKey: .call)
        switch call {
        case "write": self = .write(try box.decode([Operation].self, forKey: .operations))
        case "network": self = .network(enabled: try box.decode(Bool.self, forKey: .enabled))
        case "listen": self = .listen(collections: try box.decode([String].self, forKey: .collections))
        case "cached": self = .cached(path: try box.decode(String.self, forKey: .path))
        case "settle":
            self = .settle(
                collections: try box.decode([String].self, forKey: .collections),
                fence: try box.decode(String.self, forKey: .fence),
                number: try box.decode(Int.self, forKey: .number)
            )
        default: throw DecodingError.dataCorruptedError(forKey: .call, in: box, debugDescription: "no call: \(call)")
        }
    }
}

struct WorkerAnswer: Encodable, Sendable {
    typealias Fields = [String: Content]

    var error: String?
    var document: Fields?
    /// By collection and name.
    var seen: [String: [String: Fields]]?
    var cached: [String: [String: Fields]]?
}

/// The few types that the test's documents have.
enum Content: Codable, Hashable, Sendable {
    case number(Int)
    case text(String)
    case list([Int])

    init?(_ value: Any) {
        if let number = value as? Int {
            self = .number(number)
        } else if let text = value as? String {
            self = .text(text)
        } else if let list = value as? [Any] {
            self = .list(list.compactMap { $0 as? Int })
        } else {
            return nil
        }
    }

    init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if let number = try? box.decode(Int.self) {
            self = .number(number)
        } else if let text = try? box.decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try box.decode([Int].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .number(let number): try box.encode(number)
        case .text(let text): try box.encode(text)
        case .list(let list): try box.encode(list)
        }
    }

    var value: Any {
        switch self {
        case .number(let number): number
        case .text(let text): text
        case .list(let list): list
        }
    }
}
