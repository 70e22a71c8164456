import Dispatch
import Foundation
import NIOCore
import Testing

@testable import BrasaFirestore

@Suite("What was below an error is in it", .timeLimit(.minutes(1)))
struct UnderlyingErrorTests {
    private struct NoToken: Error, Equatable {
        let number: Int
    }

    /// Nobody listens there.
    private func client(_ change: (FirestoreSettings) -> Void = { _ in }) -> Firestore {
        let settings = FirestoreSettings()
        settings.dispatchQueue = DispatchQueue(label: "handlers")
        settings.host = "127.0.0.1:1"
        settings.isSSLEnabled = false
        change(settings)
        return Firestore(projectID: "demo-test", settings: settings)
    }

    private func cause(_ body: () async throws -> Void) async throws -> (code: Int, cause: any Error) {
        let error = try #require(await #expect(throws: NSError.self) { try await body() })
        #expect(error.domain == FirestoreErrorDomain)
        return (error.code, try #require(error.userInfo[NSUnderlyingErrorKey] as? any Error))
    }

    @Test("A connection that is refused: the socket's error")
    func refusedConnection() async throws {
        let firestore = self.client()
        let (code, cause) = try await self.cause {
            _ = try await firestore.document("c/n").getDocument(source: .server)
        }
        #expect(code == FirestoreErrorCode.unavailable.rawValue)
        #expect((cause as? IOError)?.errnoCode == ECONNREFUSED)
        let (_, callsCause) = try await self.cause {
            _ = try await firestore.collection("c").count.getAggregation(source: .server)
        }
        #expect((callsCause as? IOError)?.errnoCode == ECONNREFUSED)
        try await firestore.terminate()
    }

    @Test("A provider of tokens that throws: what it has thrown")
    func tokenProvider() async throws {
        let firestore = self.client { $0.tokenProvider = { _ in throw NoToken(number: 7) } }
        let (code, cause) = try await self.cause {
            _ = try await firestore.document("c/n").getDocument(source: .server)
        }
        #expect(code == FirestoreErrorCode.unauthenticated.rawValue)
        #expect(cause as? NoToken == NoToken(number: 7))
        try await firestore.terminate()
    }

    @Test("A certificate that cannot be read: what TLS says")
    func certificate() async throws {
        let firestore = self.client {
            $0.isSSLEnabled = true
            $0.trustedRoots = .bytes(Array("no certificate".utf8))
        }
        let (code, _) = try await self.cause { _ = try await firestore.document("c/n").getDocument() }
        #expect(code == FirestoreErrorCode.invalidArgument.rawValue)
        try await firestore.terminate()
    }

    @Test("A folder for the cache that cannot be made, or holds something else: what the system or SQLite says")
    func cacheFolder() async throws {
        let folder = CacheFolderForTest()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let file = folder.url.appending(path: "file")
        try Data("x".utf8).write(to: file)
        let nowhere = self.client { $0.cacheSettings = PersistentCacheSettings(folder: file) }
        let (code, cause) = try await self.cause { try await nowhere.document("c/n").setData(["n": 1]) }
        #expect(code == FirestoreErrorCode.unavailable.rawValue)
        #expect((cause as NSError).domain == NSCocoaErrorDomain)
        try await nowhere.terminate()

        let healthy = self.client { $0.cacheSettings = PersistentCacheSettings(folder: folder.url) }
        _ = try await healthy.collection("c").getDocuments(source: .cache)
        try await healthy.terminate()
        try Data(String(repeating: "no database", count: 100).utf8).write(to: folder.file())
        let damaged = self.client { $0.cacheSettings = PersistentCacheSettings(folder: folder.url) }
        let (damage, below) = try await self.cause {
            _ = try await damaged.collection("c").getDocuments(source: .cache)
        }
        #expect(damage == FirestoreErrorCode.dataLoss.rawValue)
        // SQLITE_NOTADB
        #expect((below as NSError).domain == "SQLite" && (below as NSError).code == 26)
        try await damaged.terminate()
    }
}
