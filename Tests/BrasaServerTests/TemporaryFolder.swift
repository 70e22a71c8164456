import Foundation

/// A folder of its own for one test, gone with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "brasa-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
