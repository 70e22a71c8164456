#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file system in memory that is soon full. Gone with its value.
final class SmallFileSystem {
    let path: String

    struct Refused: Error {
        let errno: Int32
    }

    static var isPossible: Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? SmallFileSystem(at: folder.path, bytes: 1 << 16)) != nil
    }

    init(at folder: String, bytes: Int) throws {
        self.path = folder + "/small"
        #if canImport(Glibc)
            if mkdir(self.path, 0o755) != 0 { throw Refused(errno: errno) }
            if mount("tmpfs", self.path, "tmpfs", 0, "size=\(bytes)") != 0 {
                let number = errno
                rmdir(self.path)
                throw Refused(errno: number)
            }
        #else
            throw Refused(errno: ENOTSUP)
        #endif
    }

    deinit {
        #if canImport(Glibc)
            // Also while a file in it is open still.
            umount2(self.path, Int32(MNT_DETACH))
            rmdir(self.path)
        #endif
    }
}
