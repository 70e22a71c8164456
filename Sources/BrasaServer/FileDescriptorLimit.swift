import Foundation

enum FileDescriptorLimit {
    /// Raises the soft limit to the hard one: each connection takes a descriptor. Failing changes nothing but how many
    /// connections there can be.
    static func raise() {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
    }
}
