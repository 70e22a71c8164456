import BrasaDatabase
import Dispatch

/// A client with a connection of its own, of the tree that measurements use.
struct BenchDatabase: Sendable {
    private let app: FirebaseApp
    let database: Database

    /// - Parameters:
    ///   - name: of no other client at the time.
    ///   - cache: the folder of its cache on disk; nil: it has none.
    init(_ name: String, host: String, port: Int, cache: String? = nil) throws {
        let options = FirebaseOptions()
        options.databaseURL = "http://localhost?ns=\(TreePlan.namespace)"
        FirebaseApp.configure(name: name, options: options)
        guard let app = FirebaseApp.app(name: name) else { throw BenchError("no app \(name)") }
        self.app = app
        self.database = Database.database(app: app)
        self.database.useEmulator(withHost: host, port: port)
        self.database.callbackQueue = DispatchQueue(label: name)
        if let cache {
            self.database.isPersistenceEnabled = true
            self.database.persistenceFolder = cache
            self.database.persistenceCacheSizeBytes = 100 << 20
        }
    }

    func close() async { _ = await self.app.delete() }

    /// Writes so many leaves of a node, a part of them at a time.
    func write(_ count: Int, below path: String, _ value: (Int) -> Any) async throws {
        let node = self.database.reference(withPath: path)
        for start in stride(from: 0, to: count, by: Self.leavesAtOnce) {
            var part: [String: Any] = [:]
            for index in start..<min(start + Self.leavesAtOnce, count) { part[Self.leaf(index)] = value(index) }
            try await node.updateChildValues(part)
        }
    }

    private static let leavesAtOnce = 2_000

    static func leaf(_ index: Int) -> String { "leaf-\(index)" }
}
