#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the system has given the process, by the names that Prometheus' own clients have for it.
enum ProcessUsage {
    /// Nil where the system does not say.
    static var residentBytes: Int? {
        // In pages: all, resident, shared and so on.
        guard let text = self.read("/proc/self/statm") else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

extension MetricsPage {
    mutating func addProcess() {
        guard let bytes = ProcessUsage.residentBytes else { return }
        self.gauge("process_resident_memory_bytes", "What the system has given the process.", bytes)
    }
}
