#if canImport(Glibc)
    // `environ` is a variable; nobody changes it here.
    @preconcurrency import Glibc
#else
    @preconcurrency import Darwin
#endif

/// What the system gives a process.
enum ProcessSurroundings {
    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    static var variables: [String: String] {
        #if canImport(Glibc)
            var next = environ
        #else
            var next = _NSGetEnviron().pointee
        #endif
        var found: [String: String] = [:]
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let sign = text.firstIndex(of: "=") {
                found[String(text[..<sign])] = String(text[text.index(after: sign)...])
            }
            next += 1
        }
        return found
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
