#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system's threads.
enum Thread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Traps when the system refuses a thread: that happens at start-up, where nothing can be done without it.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t {
        let start = Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        #if canImport(Glibc)
            var thread = pthread_t()
            let result = pthread_create(
                &thread,
                nil,
                { argument in
                    if let argument { Thread.run(argument) }
                    return nil
                },
                start
            )
            precondition(result == 0, "the system refused a thread")
            return thread
        #else
            var thread: pthread_t?
            let result = pthread_create(
                &thread,
                nil,
                { argument in
                    Thread.run(argument)
                    return nil
                },
                start
            )
            guard result == 0, let thread else { preconditionFailure("the system refused a thread") }
            return thread
        #endif
    }

    private static func run(_ argument: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        #if canImport(Glibc)
            // Names are for whoever looks at the process from outside; the kernel takes 15 bytes.
            if let file = try? RealDisk().open("/proc/thread-self/comm", .readWrite) {
                var text = String(start.name.prefix(15))
                text.withUTF8 { try? file.write(UnsafeRawBufferPointer($0), at: 0) }
            }
        #else
            pthread_setname_np(start.name)
        #endif
        start.body()
    }
}
