import BrasaTree
import Foundation

@testable import BrasaTreeSync

/// A scripted case: what a user and the server do, and which events each step raises. The clients of other platforms run
/// the same ones.
struct SyncPointCase: Sendable {
    let name: String
    let steps: [JSONValue]

    /// The cases of a file.
    static func all(in text: [UInt8], of file: String) throws -> [SyncPointCase] {
        guard case .array(let cases) = try JSONValue(parsing: text) else {
            throw Malformed(text: "\(file) has no list of cases")
        }
        return try cases.enumerated().map { index, value in
            guard let name = value.string("name") else {
                throw Malformed(text: "case \(index) of \(file) has no name")
            }
            guard case .array(let steps)? = value["steps"], !steps.isEmpty else {
                throw Malformed(text: "\(name) in \(file) has no steps")
            }
            return SyncPointCase(name: name, steps: steps)
        }
    }

    /// What was not as expected, a step that cannot be made included.
    var failures: [String] {
        var run = SyncPointRun()
        for (index, step) in self.steps.enumerated() {
            do {
                try run.perform(step, "step \(index)")
            } catch {
                return run.failures + ["step \(index): \(error)"]
            }
        }
        return run.failures
    }

    struct Malformed: Error, CustomStringConvertible {
        let text: String

        var description: String { self.text }
    }
}

/// A case on its way.
private struct SyncPointRun {
    private struct Listener {
        let path: TreePath
        let query: TreeQuery
        let callback: JSONValue
        let id: SyncListenerID
    }

    private var tree = SyncTree()
    private var listeners: [Listener] = []
    private var targets: [JSONValue: TreeTarget] = [:]
    private(set) var failures: [String] = []

    mutating func perform(_ step: JSONValue, _ place: String) throws {
        let effects: SyncEffects
        switch step.string("type") {
        case "listen": effects = try self.listen(step)
        case "unlisten": effects = try self.unlisten(step)
        case "serverUpdate": effects = try self.receive(step, isMerge: false, place)
        case "serverMerge": effects = try self.receive(step, isMerge: true, place)
        case "set": effects = try self.write(step, isMerge: false)
        case "update": effects = try self.write(step, isMerge: true)
        case "ackUserWrite":
            guard case .scalar(.integer(let id))? = step["writeId"], self.tree.pendingWrite(Int(id)) != nil else {
                throw SyncPointCase.Malformed(text: "no write has the writeId")
            }
            effects = try step.flag("revert") ?? false ? self.tree.revert(Int(id)) : self.tree.acknowledge(Int(id))
        case "suppressWarning": return
        case let type: throw SyncPointCase.Malformed(text: "unknown step \(type ?? "without a type")")
        }
        // Their servers have answered that before anything else comes.
        for case .close(let target, _) in effects.listens { self.tree.completeClose(target) }
        self.failures += try step.differences(from: effects.events).map { "\(place): \($0)" }
    }

    private mutating func listen(_ step: JSONValue) throws -> SyncEffects {
        let (path, query) = (try step.location.path, try TreeQuery(scripted: step["params"]))
        if let tag = step["params"]?["tag"] { self.targets[tag] = TreeTarget(path, query) }
        let (id, effects) = self.tree.listen(query, at: path)
        self.listeners.append(Listener(path: path, query: query, callback: step["callbackId"] ?? .null, id: id))
        return effects
    }

    /// Without a query of its own it is meant for all of the place.
    private mutating func unlisten(_ step: JSONValue) throws -> SyncEffects {
        let (path, callback) = (try step.location.path, step["callbackId"] ?? .null)
        let query = try TreeQuery(scripted: step["params"])
        let ended = self.listeners.filter {
            $0.path == path && $0.callback == callback && (query == .all || $0.query == query)
        }
        guard !ended.isEmpty else { throw SyncPointCase.Malformed(text: "nobody listens there by that callbackId") }
        self.listeners.removeAll { listener in ended.contains { $0.id == listener.id } }
        return ended.reduce(into: SyncEffects()) { $0 += self.tree.unlisten($1.id) }
    }

    private mutating func receive(_ step: JSONValue, isMerge: Bool, _ place: String) throws -> SyncEffects {
        let write = try step.write(isMerge: isMerge)
        guard let tag = step["tag"] else { return self.tree.receive(write.push) }
        guard let target = self.targets[tag] else { throw SyncPointCase.Malformed(text: "no listen has the tag") }
        let open = self.tree.openListens.first { $0.target == target }
        if open == nil { self.failures.append("\(place): nothing is open by that tag") }
        return self.tree.receive(write.push, tag: open?.tag)
    }

    private mutating func write(_ step: JSONValue, isMerge: Bool) throws -> SyncEffects {
        let write = try step.write(isMerge: isMerge)
        return self.tree.write(write, isShown: try step.flag("visible") ?? true, milliseconds: 0).effects
    }
}

extension Optional {
    fileprivate func orThrow(_ text: String) throws -> Wrapped {
        guard let self else { throw SyncPointCase.Malformed(text: text) }
        return self
    }
}

extension JSONValue {
    fileprivate func string(_ key: TreeText) -> String? {
        guard case .string(let text)? = self[key] else { return nil }
        return text.string
    }

    /// Nil where it is not there.
    fileprivate func flag(_ key: TreeText) throws -> Bool? {
        switch self[key] {
        case nil: nil
        case .scalar(.boolean(let value))?: value
        default: throw SyncPointCase.Malformed(text: "\(key) is no boolean")
        }
    }

    fileprivate var location: TreeLocation {
        get throws { try TreeLocation(self.string("path").orThrow("no path")) }
    }

    fileprivate func write(isMerge: Bool) throws -> TreeWrite {
        let (location, data) = (try self.location, try self["data"].orThrow("no data"))
        return isMerge
            ? try .update(entries(data), at: location.path) : try .set(TreeTemplate(data), at: location)
    }

    /// Each view's events come by their kinds; which view's are first, the cases leave open.
    fileprivate func differences(from events: [TreeSyncEvent]) throws -> [String] {
        guard case .array(let expected)? = self["events"] else { throw SyncPointCase.Malformed(text: "no events") }
        let texts = try expected.map { try $0.eventText() }
        var differences: [String] = []
        let found = events.map(\.description)
        if self.string("type") == "listen" {
            if texts != found { differences.append("\(found) instead of \(texts)") }
        } else if texts.sorted() != found.sorted() {
            differences.append("\(found) instead of \(texts)")
        }
        for view in Dictionary(grouping: events, by: \.listeners).values
        where view.map(\.rank) != view.map(\.rank).sorted() {
            differences.append("\(view) are not in the order of their kinds")
        }
        return differences
    }

    private func eventText() throws -> String {
        let path = try self.location.path
        let data = try TreeTemplate(self["data"].orThrow("an event without data")).node
        let type = self.string("type") ?? "without a type"
        if type == "value" { return "\(path) =\(exported(data))" }
        let types = ["child_removed": "-", "child_added": "+", "child_moved": ">", "child_changed": "~"]
        let mark = try types[type].orThrow("unknown event \(type)")
        let name = try self.string("name").orThrow("an event without a name")
        let previous = mark == "-" ? nil : self.string("prevName")
        return "\(path) \(mark)\(name)\(previous.map { "<\($0)" } ?? "")=\(exported(data))"
    }
}
