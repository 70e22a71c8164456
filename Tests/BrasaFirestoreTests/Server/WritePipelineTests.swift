import Foundation
import Testing

@testable import BrasaFirestore

/// Writes that wait in a queue are applied once, whatever becomes of the connection that they were sent over.
@Suite("Queued writes")
struct WritePipelineTests {
    private func count(_ server: LocalServer, _ path: String) async throws -> Int? {
        let client = server.client()
        let count = try await client.document(path).getDocument(source: .server)["n"] as? Int
        try await client.terminate()
        return count
    }

    /// Not waited for.
    private func increment(_ reference: DocumentReference) {
        reference.queueMerge(["n": FieldValue.increment(Int64(1))])
    }

    @Test("An increment counts once, though the network goes away and comes back at once")
    func network() async throws {
        try await withServer { server, db in
            let reference = db.document("c/n")
            for _ in 0..<20 {
                for _ in 0..<15 { self.increment(reference) }
                try await db.disableNetwork()
                try await db.enableNetwork()
            }
            try await db.waitForPendingWrites()
            #expect(try await self.count(server, "c/n") == 300)
        }
    }

    @Test("An increment counts once through connections that break", arguments: [1, 2] as [UInt64])
    func brokenConnections(_ seed: UInt64) async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: seed, .init(drops: 40, resets: 40, delays: 100))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let client = server.client(through: proxy)
                    for round in 0..<30 {
                        for _ in 0..<5 { self.increment(client.document("c/shared")) }
                        self.increment(client.document("c/of \(number)"))
                        // Other writes go on while these are on their way.
                        if round.isMultiple(of: 10) { try await client.document("c/x\(number)").setData(["n": round]) }
                    }
                    try await client.waitForPendingWrites()
                    try await client.terminate()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await self.count(server, "c/shared") == 600)
        for number in 0..<4 { #expect(try await self.count(server, "c/of \(number)") == 30) }
        #expect(proxy.breaks > 0)
        try await proxy.stop()
        try await server.stop()
    }

    @Test("An increment counts once, though its client ends while it is on its way and another goes on with the cache")
    func restarts() async throws {
        let server = try await LocalServer()
        let folder = CacheFolderForTest()
        for _ in 0..<10 {
            let db = server.client(folder)
            for _ in 0..<15 { self.increment(db.document("c/n")) }
            // One answer is awaited, so that others are on their way.
            try? await db.document("c/m").setData(["n": 1])
            for _ in 0..<5 { self.increment(db.document("c/n")) }
            _ = try await db.document("c/n").getDocument(source: .cache)
            try await db.terminate()
        }
        let last = server.client(folder)
        try await last.waitForPendingWrites()
        try await last.terminate()
        #expect(try await self.count(server, "c/n") == 200)
        try await server.stop()
    }
}

extension DocumentReference {
    fileprivate func queueMerge(_ data: [String: Any]) { self.setData(data, merge: true) }
}
