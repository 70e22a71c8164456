import CBrasaThreads

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system's threads. Their names are for whoever looks at the process from outside.
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
        // The kernel takes 15 bytes, and no name that is longer.
        _ = cbrasa_name_thread(start.name.utf8.prefix(15).map { CChar(bitPattern: $0) } + [0])
        start.body()
    }
}
