import BrasaPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder on the real disk that is gone with this value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/brasa-log-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        let text = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if !made { throw DiskError(operation: .createDirectory, path: text, errno: errno) }
        self.path = text
    }

    deinit {
        let disk = RealDisk()
        for name in (try? disk.list(self.path)) ?? [] { try? disk.remove(self.path + "/" + name) }
        rmdir(self.path)
    }
}

extension RealDisk {
    func contents(_ path: String) throws -> [UInt8] {
        let file = try self.open(path, .readOnly)
        var bytes = [UInt8](repeating: 0, count: try file.size())
        let count = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
        return Array(bytes.prefix(count))
    }
}
