#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum FileDescriptorLimit {
    private static let connectionsMaxDefault = 10_000
    /// For the log, checkpoints, event loops and the standard streams: connections must not take these.
    private static let reserved = 256

    /// Raises the soft limit to the hard one; returns how many connections that allows, since each takes a descriptor.
    static func raise() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return Self.reserved }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
        return max(16, Int(clamping: limit.rlim_cur) - Self.reserved)
    }

    /// How many connections there may be where so many were asked for.
    static func connectionsMax(asked: Int?, allowed: Int) -> Int {
        min(allowed, asked ?? Self.connectionsMaxDefault)
    }
}
