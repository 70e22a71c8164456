import BrasaIdentity
import BrasaTree
import BrasaTreeJudging
import BrasaTreeWatch
import Testing

/// Somebody else with the same tree.
final class Writer: TreeListener {
    private var session: TreeSession?

    init(_ watcher: TreeWatcher) throws {
        self.session = watcher.open("one", as: TreeIdentity(.administrator), for: self)
    }

    func told(_ telling: TreeTelling) {}
    func revoked(_ target: TreeTarget) {}
    func flush() {}
    func replaced() {}

    /// Begun; it is durable when the server has settled.
    func put(_ value: String, at path: String) throws {
        let location = try TreeLocation(path)
        let template = try TreeTemplate(parsing: Array(value.utf8), at: location.path)
        try #require(self.session).write(try .set(template, at: location)) { _ in }
    }

    func read(_ path: String) throws -> String {
        guard case .node(let node) = try #require(self.session).read(TreeTarget(try TreePath(path))) else { return "" }
        return String(decoding: node.text(.export), as: UTF8.self)
    }
}
