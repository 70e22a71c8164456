import BrasaTree
import Foundation

@testable import BrasaTreeSync

/// A scripted case: what a user and the server do, and which events each step raises. The clients of other platforms run
/// the same ones. They stay outside of the repository: in the folder that BRASA_SYNC_POINT_SPEC names, else beside it.
struct SyncPointCase: Sendable {
    let name: String
    let steps: [JSONValue]

    /// Nil when they are not here.
    static func all() throws -> [SyncPointCase]? {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["BRASA_SYNC_POINT_SPEC"].map { URL(filePath: $0) }
        let folder = named ?? root.appending(path: "../../../shared/data/sync-point-spec").standardized
        let file = folder.appending(path: "syncPointSpec.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard case .array(let cases) = try JSONValue(parsing: Array(Data(contentsOf: file))) else { return [] }
        return cases.compactMap { value in
            guard case .string(let name)? = value["name"], case .array(let steps)? = value["steps"] else { return nil }
            return SyncPointCase(name: name.string, steps: steps)
        }
    }

    /// What was not as expected.
    func run() throws -> [String] {
        var tree = SyncTree()
        var listeners: [JSONValue: SyncListenerID] = [:]
        var targets: [JSONValue: TreeTarget] = [:]
        var failures: [String] = []
        for (index, step) in self.steps.enumerated() {
            let location = try TreeLocation(step.string("path") ?? "")
            let effects: SyncEffects
            switch step.string("type") {
            case "listen":
                let query = try TreeQuery(step["params"])
                if let tag = step["params"]?["tag"] { targets[tag] = TreeTarget(location.path, query) }
                let (listener, listening) = tree.listen(query, at: location.path)
                listeners[step.callback] = listener
                effects = listening
            case "unlisten":
                effects = try tree.unlisten(listeners[step.callback].orThrow())
            case "serverUpdate", "serverMerge":
                let write = try step.write(at: location, isMerge: step.string("type") == "serverMerge")
                let target = step["tag"].flatMap { targets[$0] }
                let open = tree.openListens.first { $0.target == target }
                if target != nil, open == nil { failures.append("step \(index): nothing is open by that tag") }
                effects = tree.receive(write.push, tag: open?.tag)
            case "set", "update":
                let write = try step.write(at: location, isMerge: step.string("type") == "update")
                let isShown = step["visible"] != .scalar(.boolean(false))
                effects = tree.write(write, isShown: isShown, milliseconds: 0).effects
            case "ackUserWrite":
                guard case .scalar(.integer(let id))? = step["writeId"] else { throw Malformed() }
                let isRevert = step["revert"] == .scalar(.boolean(true))
                effects = isRevert ? tree.revert(Int(id)) : tree.acknowledge(Int(id))
            case "suppressWarning": continue
            case let type: throw Malformed(text: "unknown step \(type ?? "")")
            }
            // Their servers have answered that before anything else comes.
            for case .close(let target, _) in effects.listens { tree.completeClose(target) }
            failures += try step.differences(from: effects.events).map { "step \(index): \($0)" }
        }
        return failures
    }

    struct Malformed: Error {
        var text = ""
    }
}

extension Optional {
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw SyncPointCase.Malformed() }
        return self
    }
}

extension JSONValue {
    fileprivate func string(_ key: TreeText) -> String? {
        guard case .string(let text)? = self[key] else { return nil }
        return text.string
    }

    /// By which a step refers to the listener of another.
    fileprivate var callback: JSONValue { .array([self["path"] ?? .null, self["callbackId"] ?? .null]) }

    fileprivate func write(at location: TreeLocation, isMerge: Bool) throws -> TreeWrite {
        let data = try self["data"].orThrow()
        return isMerge
            ? try .update(entries(data), at: location.path) : try .set(TreeTemplate(data), at: location)
    }

    /// Each view's events come by their kinds; which view's are first, the cases leave open.
    fileprivate func differences(from events: [TreeSyncEvent]) throws -> [String] {
        guard case .array(let expected)? = self["events"] else { throw SyncPointCase.Malformed() }
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
        let path = try TreePath(self.string("path") ?? "")
        let data = try TreeTemplate(self["data"].orThrow()).node
        if self.string("type") == "value" { return "\(path) =\(exported(data))" }
        let types = ["child_removed": "-", "child_added": "+", "child_moved": ">", "child_changed": "~"]
        let mark = try types[self.string("type") ?? ""].orThrow()
        let previous = mark == "-" ? nil : self.string("prevName")
        return "\(path) \(mark)\(self.string("name") ?? "")\(previous.map { "<\($0)" } ?? "")=\(exported(data))"
    }
}

extension TreeQuery {
    fileprivate init(_ params: JSONValue?) throws {
        func bound(_ name: TreeText) throws -> QueryBound? {
            guard let value = params?[name] ?? params?["equalTo"] else { return nil }
            let key = value.string("name").map { QueryBound.Key.text(TreeText($0)) }
            let index: IndexValue
            switch value["index"] {
            case nil, .null?: index = .absent
            case let json?: index = IndexValue(try TreeTemplate(json).node)
            }
            return QueryBound(value: index, key: key)
        }
        func limit(_ name: TreeText, _ end: Limit.End) -> Limit? {
            guard case .scalar(.integer(let count))? = params?[name] else { return nil }
            return Limit(Int(count), end)
        }
        try self.init(
            order: params?.string("orderBy").map { .child(try TreePath($0)) } ?? .priority,
            start: bound("startAt"),
            end: bound("endAt"),
            limit: limit("limitToFirst", .first) ?? limit("limitToLast", .last)
        )
    }
}
