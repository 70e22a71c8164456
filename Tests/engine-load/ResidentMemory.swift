import Glibc

/// What the process takes of the machine's memory.
enum ResidentMemory {
    /// Waits until the allocator has given back what was freed, which it does within ten seconds (`CBrasaAllocator`).
    static func settle() { sleep(11) }

    static var bytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        guard fgets(&text, Int32(text.count), file) != nil else { return 0 }
        let parts = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        return parts.count > 1 ? (Int(parts[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }
}
