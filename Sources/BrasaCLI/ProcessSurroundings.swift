#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the system gives a process.
enum ProcessSurroundings {
    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// One line to standard error. Where nobody reads it, nothing can be done.
    static func complain(_ what: String) {
        var rest = Array("brasa: \(what)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Of every stream.
    static func flushOutput() {
        fflush(nil)
    }
}
