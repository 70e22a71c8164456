#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The operating system's files.
package struct RealDisk: Disk {
    package init() {}

    package func createDirectory(_ path: String) throws(DiskError) { try self.createDirectory(path, 0o755) }

    package func createPrivateDirectory(_ path: String) throws(DiskError) { try self.createDirectory(path, 0o700) }

    private func createDirectory(_ path: String, _ access: mode_t) throws(DiskError) {
        if path.isEmpty { return }
        if mkdir(path, access) == 0 { return try self.syncParent(of: path) }
        switch errno {
        case EEXIST where isDirectory(path): return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
            try self.createDirectory(String(path[..<slash]))
            if mkdir(path, access) == 0 { return try self.syncParent(of: path) }
            if errno == EEXIST && isDirectory(path) { return }
        default: break
        }
        throw DiskError(operation: .createDirectory, path: path, errno: errno)
    }

    /// A new folder's name stands in its parent: without this a power cut may take the folder with all that is in it.
    private func syncParent(of path: String) throws(DiskError) {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        guard let slash = name.lastIndex(of: "/") else { return try self.syncDirectory(".") }
        try self.syncDirectory(slash == name.startIndex ? "/" : String(name[..<slash]))
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        let found = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        // `stat` may have overwritten the number that the caller is about to report.
        errno = EEXIST
        return found
    }

    package func list(_ directory: String) throws(DiskError) -> [String] {
        guard let handle = opendir(directory) else {
            throw DiskError(operation: .list, path: directory, errno: errno)
        }
        defer { closedir(handle) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(handle) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        if errno != 0 { throw DiskError(operation: .list, path: directory, errno: errno) }
        return names
    }

    package func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    package func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        let flags =
            switch mode {
            case .readOnly: O_RDONLY
            case .readWrite: O_RDWR
            case .create, .createPrivate: O_RDWR | O_CREAT | O_TRUNC
            }
        let access: mode_t = mode == .createPrivate ? 0o600 : 0o644
        let descriptor = retrying { openFile(path, flags | O_CLOEXEC, access) }
        if descriptor < 0 { throw DiskError(operation: .open, path: path, errno: errno) }
        return RealDiskFile(descriptor: descriptor, path: path)
    }

    package func rename(_ path: String, to newPath: String) throws(DiskError) {
        if renameFile(path, newPath) != 0 {
            throw DiskError(operation: .rename, path: path, errno: errno)
        }
    }

    package func remove(_ path: String) throws(DiskError) {
        if unlink(path) != 0 {
            throw DiskError(operation: .remove, path: path, errno: errno)
        }
    }

    package func syncDirectory(_ path: String) throws(DiskError) {
        let descriptor = retrying { openFile(path, O_RDONLY | O_CLOEXEC) }
        if descriptor < 0 { throw DiskError(operation: .syncDirectory, path: path, errno: errno) }
        let result = fsync(descriptor)
        let number = errno
        closeFile(descriptor)
        if result != 0 { throw DiskError(operation: .syncDirectory, path: path, errno: number) }
    }

    package func lock(_ path: String) throws(DiskLockError) -> any DiskLock {
        let descriptor = retrying { openFile(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        if descriptor < 0 {
            throw .disk(DiskError(operation: .lock, path: path, errno: errno))
        }
        if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 {
            let number = errno
            let holder = readProcess(descriptor)
            closeFile(descriptor)
            if number == EWOULDBLOCK { throw .held(path: path, process: holder) }
            throw .disk(DiskError(operation: .lock, path: path, errno: number))
        }
        let lock = RealDiskLock(descriptor: descriptor)
        // Only for the message that a second process prints; the lock itself is the kernel's, so no number is no harm.
        var text = "\(getpid())\n"
        if ftruncate(descriptor, 0) == 0 { text.withUTF8 { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) } }
        return lock
    }

    package func otherOwner(of path: String) throws(DiskError) -> UInt32? {
        var status = stat()
        guard stat(path, &status) == 0 else { throw DiskError(operation: .open, path: path, errno: errno) }
        return status.st_uid == geteuid() ? nil : status.st_uid
    }

    private func readProcess(_ descriptor: Int32) -> Int32? {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            if count <= 0 { return nil }
            let digits = buffer[..<count].prefix { $0 >= 0x30 && $0 <= 0x39 }
            return Int32(String(decoding: digits, as: UTF8.self))
        }
    }
}

/// A `flock`: the kernel drops it when the process ends, however it ends, so that no stale lock can stay behind.
private final class RealDiskLock: DiskLock {
    private let file: RealDiskFile

    init(descriptor: Int32) {
        self.file = RealDiskFile(descriptor: descriptor, path: "")
    }

    func release() {
        self.file.close()
    }
}

// The protocol's method names hide the C functions of the same name; these reach them.
private func openFile(_ path: String, _ flags: Int32, _ access: mode_t = 0o644) -> Int32 { open(path, flags, access) }
private func renameFile(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
@discardableResult private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
