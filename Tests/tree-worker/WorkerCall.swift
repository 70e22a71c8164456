import BrasaDatabase
import Foundation

/// What one line asks for. Values stay what `JSONSerialization` makes of them, as in a program that reads JSON.
struct WorkerCall {
    let id: Int
    let name: String
    private let parts: [String: Any]

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init(_ line: String) throws {
        guard let parts = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let id = parts["id"] as? Int, let name = parts["call"] as? String
        else { throw Malformed(description: "no call: \(line)") }
        (self.id, self.name, self.parts) = (id, name, parts)
    }

    /// Nil for a part that is missing; `NSNull` for one that is null.
    subscript(part: String) -> Any? { self.parts[part] }

    func text(_ part: String) throws -> String {
        guard let text = self.parts[part] as? String else {
            throw Malformed(description: "\(self.name) without \(part)")
        }
        return text
    }

    func flag(_ part: String) -> Bool { self.parts[part] as? Bool ?? false }

    func number(_ part: String) throws -> Int {
        guard let number = self.parts[part] as? Int else {
            throw Malformed(description: "\(self.name) without \(part)")
        }
        return number
    }

    func members(_ part: String) throws -> [String: Any] {
        guard let members = self.parts[part] as? [String: Any] else {
            throw Malformed(description: "\(self.name) without \(part)")
        }
        return members
    }

    func reference(_ database: Database) throws -> DatabaseReference {
        let path = try self.text("path")
        // The root has no path of its own.
        return path == "/" ? database.reference() : database.reference(withPath: path)
    }

    /// The place, with the bounds that REST has names for.
    func query(_ database: Database) throws -> DatabaseQuery {
        var query: DatabaseQuery = try self.reference(database)
        let bounds = self.parts["query"] as? [String: Any] ?? [:]
        switch bounds["orderBy"] as? String {
        case nil: break
        case "$key": query = query.queryOrderedByKey()
        case "$value": query = query.queryOrderedByValue()
        case "$priority": query = query.queryOrderedByPriority()
        case let child?: query = query.queryOrdered(byChild: child)
        }
        if let value = bounds["startAt"] { query = query.queryStarting(atValue: value) }
        if let value = bounds["endAt"] { query = query.queryEnding(atValue: value) }
        if let value = bounds["equalTo"] { query = query.queryEqual(toValue: value) }
        if let count = bounds["limitToFirst"] as? Int { query = query.queryLimited(toFirst: UInt(count)) }
        if let count = bounds["limitToLast"] as? Int { query = query.queryLimited(toLast: UInt(count)) }
        return query
    }
}
