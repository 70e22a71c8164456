import Foundation

/// A folder that is gone with this object.
final class TemporaryFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "brasa-cache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }
}
