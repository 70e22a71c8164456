import Foundation
import Testing

@testable import BrasaFirestore

/// A folder for caches, gone with its test.
final class CacheFolderForTest: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("brasa-cache-\(UUID().uuidString)")

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// The database file of the one client that has used the folder.
    func file() throws -> URL {
        let files = FileManager.default.enumerator(at: self.url, includingPropertiesForKeys: nil)
        return try #require(files?.compactMap { $0 as? URL }.first { $0.lastPathComponent == "cache.sqlite" })
    }
}

extension LocalServer {
    /// A client whose cache is in the folder.
    func client(_ folder: CacheFolderForTest) -> Firestore {
        let firestore = self.client()
        let settings = firestore.settings
        settings.cacheSettings = PersistentCacheSettings(folder: folder.url)
        firestore.settings = settings
        return firestore
    }
}

/// Runs a test with a server and an empty folder.
func withFolder(_ body: (LocalServer, CacheFolderForTest) async throws -> Void) async throws {
    let server = try await LocalServer()
    try await body(server, CacheFolderForTest())
    try await server.stop()
}
