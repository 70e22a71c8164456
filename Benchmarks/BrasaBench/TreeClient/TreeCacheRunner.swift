import BrasaDatabase
import Foundation

/// What a cache on disk takes of a client's start.
package enum TreeCacheRunner {
    package struct Plan: Sendable {
        package var host: String
        package var port: Int
        /// The cache's.
        package var folder: String
        package var leaves: Int
        /// Of the string that a leaf is.
        package var valueBytes: Int

        package init(host: String, port: Int, folder: String, leaves: Int, valueBytes: Int) {
            (self.host, self.port, self.folder) = (host, port, folder)
            (self.leaves, self.valueBytes) = (leaves, valueBytes)
        }

        fileprivate func client(_ name: String, cache: String? = nil) throws -> BenchDatabase {
            try BenchDatabase(name, host: self.host, port: self.port, cache: cache)
        }
    }

    private static let node = "cached"
    private static let few: UInt = 10

    // MARK: Filling

    package struct Filled: Sendable {
        /// Until a listener has told all, which is on disk then.
        package var time: Duration
        /// Of the cache's files.
        package var bytes: Int
    }

    /// The leaves come into the cache by a listener, as they do in life. The server has them from another client.
    package static func fill(_ plan: Plan) async throws -> Filled {
        let writer = try plan.client("bench-writer")
        let padding = String(repeating: "x", count: plan.valueBytes)
        try await writer.write(plan.leaves, below: self.node) { "\($0)-\(padding)" }
        await writer.close()
        let client = try plan.client("bench-client", cache: plan.folder)
        let start = ContinuousClock.now
        try await self.hear(client.database.reference(withPath: self.node), plan.leaves)
        let time = start.duration(to: .now)
        await client.close()
        return Filled(time: time, bytes: try self.fileBytes(plan.folder))
    }

    private static func fileBytes(_ folder: String) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: folder).reduce(0) { sum, path in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + ((attributes[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    // MARK: Starting

    /// Each since the start, one after the other.
    package struct Started: Sendable {
        /// Until the client has told its first observer something that it needs no server and no cache for.
        package var open: Duration
        /// Until an observer of one leaf has its value.
        package var leaf: Duration
        /// Until one of the first ten leaves has them.
        package var few: Duration
        /// Until one of all leaves has them.
        package var all: Duration
    }

    /// A client that has no connection is asked for what is in its cache.
    package static func start(_ plan: Plan) async throws -> Started {
        let start = ContinuousClock.now
        let client = try plan.client("bench-client", cache: plan.folder)
        client.database.goOffline()
        let connected = client.database.reference(withPath: ".info/connected")
        _ = try await connected.observeSingleEventAndPreviousSiblingKey(of: .value)
        let open = start.duration(to: .now)
        let node = client.database.reference(withPath: self.node)
        let middle = node.child(BenchDatabase.leaf(plan.leaves / 2))
        let (snapshot, _) = try await middle.observeSingleEventAndPreviousSiblingKey(of: .value)
        guard snapshot.value is String else { throw self.incomplete }
        let leaf = start.duration(to: .now)
        try await self.hear(node.queryOrderedByKey().queryLimited(toFirst: self.few), min(plan.leaves, Int(self.few)))
        let few = start.duration(to: .now)
        try await self.hear(node, plan.leaves)
        let all = start.duration(to: .now)
        await client.close()
        return Started(open: open, leaf: leaf, few: few, all: all)
    }

    private static let incomplete = BenchError("the leaves are not there")

    private static func hear(_ query: DatabaseQuery, _ count: Int) async throws {
        let (snapshot, _) = try await query.observeSingleEventAndPreviousSiblingKey(of: .value)
        guard snapshot.childrenCount == count else { throw self.incomplete }
    }
}
