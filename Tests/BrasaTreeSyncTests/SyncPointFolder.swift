import Foundation

/// The scripted cases of a folder: all its files whose names end with `.json`. They stay outside of the repository, in the
/// folder that BRASA_SYNC_POINT_SPEC names, else beside it.
struct SyncPointFolder: Sendable {
    let url: URL
    /// Those that are known are so many.
    let count: Int?

    /// Nil where none is named and there is none beside the repository.
    static let given: SyncPointFolder? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
        let usual = root.appending(path: "../../../shared/data/sync-point-spec").standardized
        let named = ProcessInfo.processInfo.environment["BRASA_SYNC_POINT_SPEC"].map { URL(filePath: $0) }
        guard let url = named ?? (FileManager.default.fileExists(atPath: usual.path) ? usual : nil) else { return nil }
        let isUsual = url.resolvingSymlinksInPath().path == usual.resolvingSymlinksInPath().path
        return SyncPointFolder(url: url, count: isUsual ? 78 : nil)
    }()

    func cases() throws -> [SyncPointCase] {
        let names = try FileManager.default.contentsOfDirectory(atPath: self.url.path)
            .filter { $0.hasSuffix(".json") }.sorted()
        let cases = try names.flatMap { name in
            let text = try Data(contentsOf: self.url.appending(path: name))
            do {
                return try SyncPointCase.all(in: Array(text), of: name)
            } catch let error as SyncPointCase.Malformed {
                throw error
            } catch {
                throw SyncPointCase.Malformed(text: "\(name) is no JSON: \(error)")
            }
        }
        guard !cases.isEmpty else { throw SyncPointCase.Malformed(text: "\(self.url.path) has no cases") }
        if let count, names == ["syncPointSpec.json"], cases.count != count {
            throw SyncPointCase.Malformed(text: "\(cases.count) cases, where there were \(count)")
        }
        return cases
    }
}
