import Foundation

enum FileDescriptorLimit {
    private static let connectionsMax = 10_000
    /// For the log, checkpoints, event loops and the standard streams: connections must not take these.
    private static let reserved = 256

    /// Raises the soft limit to the hard one; returns how many connections there may be, since each takes a descriptor.
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
        return min(Self.connectionsMax, max(16, Int(clamping: limit.rlim_cur) - Self.reserved))
    }
}
