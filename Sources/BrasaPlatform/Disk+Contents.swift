extension Disk {
    /// All of a small file, such as a key or a list; nil when it is longer than `bytesMax`. One that shrinks meanwhile gives
    /// what is there.
    package func contents(of path: String, bytesMax: Int) throws(DiskError) -> [UInt8]? {
        let file = try self.open(path, .readOnly)
        defer { file.close() }
        let size = try file.size()
        guard size <= bytesMax else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(DiskError) in try file.readFully(into: buffer, at: 0) }
        }
        return Array(bytes.prefix(try count.get()))
    }
}
