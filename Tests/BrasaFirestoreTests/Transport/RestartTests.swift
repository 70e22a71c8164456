import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

/// Many listeners of one process while their server ends and begins again.
@Suite struct RestartTests {
    private static let listeners = 1_000

    /// What each listener was last told.
    private final class Board: Sendable {
        private let numbers = Mutex<[Int: Int]>([:])
        private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        func note(_ listener: Int, _ number: Int) {
            self.numbers.withLock { $0[listener] = number }
            self.changes.continuation.yield()
        }

        /// Returns when every listener was told that number.
        func settles(at number: Int) async {
            self.changes.continuation.yield()
            for await _ in self.changes.stream {
                let told = self.numbers.withLock { $0.values.count { $0 == number } }
                if told == RestartTests.listeners { return }
            }
        }
    }

    private func write(_ number: Int, with client: Firestore) async throws {
        for start in stride(from: 0, to: Self.listeners, by: 250) {
            let batch = client.batch()
            for index in start..<start + 250 {
                batch.setData(["number": number], forDocument: client.document("c/\(index)"))
            }
            try await batch.commit()
        }
    }

    @Test func `A thousand listeners go on after their server was started again`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("brasa-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var server = try await LocalServer(folder: folder.path)
        let port = server.port
        let client = server.client()
        let board = Board()
        try await self.write(1, with: server.client())
        let registrations = (0..<Self.listeners).map { index in
            client.document("c/\(index)").addSnapshotListener { snapshot, _ in
                guard let number = snapshot?.get("number") as? Int else { return }
                board.note(index, number)
            }
        }
        await board.settles(at: 1)
        try await server.stop()
        server = try await LocalServer(port: port, folder: folder.path)
        let writer = server.client()
        try await self.write(2, with: writer)
        await board.settles(at: 2)
        for registration in registrations { registration.remove() }
        try await client.terminate()
        try await writer.terminate()
        try await server.stop()
    }
}
