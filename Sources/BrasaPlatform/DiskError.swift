#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a disk refused to do. `errno` is the system's number, so that a caller can tell a full disk from a broken one.
package struct DiskError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case createDirectory = "create folder"
        case list, open, size, read, write, allocate, truncate, sync, rename, remove, lock
        case syncDirectory = "sync folder"
    }

    package let operation: Operation
    package let path: String
    package let errno: Int32

    package init(operation: Operation, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    package var isFull: Bool { self.errno == ENOSPC || self.errno == EDQUOT }
    package var isMissing: Bool { self.errno == ENOENT }

    package var description: String {
        "cannot \(self.operation.rawValue) \(self.path): \(String(cString: strerror(self.errno)))"
    }
}
