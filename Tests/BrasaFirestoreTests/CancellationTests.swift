import Foundation
import Testing

@testable import BrasaFirestore
@testable import BrasaSync

@Suite("Tasks that stop waiting")
struct CancellationTests {
    private func expectCancelled(_ task: Task<Void, any Error>) async {
        let error = await #expect(throws: NSError.self) { try await task.value }
        #expect(error?.code == FirestoreErrorCode.cancelled.rawValue)
    }

    @Test("A cancelled read ends, before or after it has begun", arguments: 0..<20)
    func reads(_ turns: Int) async throws {
        let database = try await Databases.offline()
        // There is a network, and nobody who answers.
        try await database.enableNetwork()
        let reference = database.document("c/n")
        let query = database.collection("c")
        for read in [
            { _ = try await reference.getDocument() },
            { _ = try await reference.getDocument(source: .server) },
            { _ = try await query.getDocuments() },
            { _ = try await query.getDocuments(source: .server) },
        ] as [@Sendable () async throws -> Void] {
            let task = Task { try await read() }
            for _ in 0..<turns { await Task.yield() }
            task.cancel()
            await self.expectCancelled(task)
        }
        // The engine has let go of all of them.
        let count = try await database.core().wait { client, done in
            done(.success(client.reads.count))
            return nil
        }
        #expect(count == 0)
    }

    @Test("A write that nobody waits for any more stays queued")
    func writes() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        let loop = Loop(reference.snapshots)
        _ = try await loop.next()
        let write = Task { try await reference.setData(["n": 1]) }
        // It has begun once it is seen.
        #expect(try await loop.next()?["n"] as? Int == 1)
        let wait = Task { try await database.waitForPendingWrites() }
        for task in [write, wait] {
            task.cancel()
            await self.expectCancelled(task)
        }
        let snapshot = try await reference.getDocument(source: .cache)
        #expect(snapshot.metadata.hasPendingWrites)
    }
}
