import BrasaPlatform
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite final class RealDiskTests {
    let disk = RealDisk()
    let root: String

    init() throws {
        var template = Array("/tmp/brasa-disk-XXXXXX".utf8CString)
        _ = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
        self.root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.removeAll(self.root)
    }

    private static func removeAll(_ directory: String) {
        for name in (try? RealDisk().list(directory)) ?? [] {
            let path = directory + "/" + name
            if unlink(path) != 0 { self.removeAll(path) }
        }
        rmdir(directory)
    }

    private func read(_ file: any DiskFile, _ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xee, count: count)
        let done = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: offset) }
        return Array(bytes.prefix(done))
    }

    @Test func whatIsWrittenIsRead() throws {
        let file = try self.disk.open(self.root + "/a", .create)
        try [1, 2, 3, 4].withUnsafeBytes { try file.write($0, at: 10) }
        try file.syncData()
        #expect(try file.size() == 10 + 4 * MemoryLayout<Int>.size)
        #expect(try self.read(file, 12, at: 8) == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0])
        #expect(try self.read(file, 10, at: 1_000).isEmpty)
        try file.truncate(to: 11)
        #expect(try self.read(file, 10, at: 9) == [0, 1])
    }

    @Test(arguments: [(DiskOpenMode.create, 0o644), (.createPrivate, 0o600)] as [(DiskOpenMode, mode_t)])
    func `What is private only its owner may read`(_ mode: DiskOpenMode, _ access: mode_t) throws {
        let previous = umask(0o022)
        defer { umask(previous) }
        try self.disk.open(self.root + "/a", mode).close()
        var status = stat()
        #expect(stat(self.root + "/a", &status) == 0)
        #expect(status.st_mode & 0o777 == access)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func aFileOfAnotherUserIsToldFromOnesOwn() throws {
        let path = self.root + "/a"
        try self.disk.open(path, .create).close()
        #expect(try self.disk.otherOwner(of: path) == nil)
        #expect(chown(path, 4_242, 4_242) == 0)
        #expect(try self.disk.otherOwner(of: path) == 4_242)
        #expect(throws: DiskError(operation: .open, path: self.root + "/b", errno: ENOENT)) {
            try self.disk.otherOwner(of: self.root + "/b")
        }
    }

    @Test func aPrivateFolderAndALockAreTheirOwnersAlone() throws {
        try self.disk.createPrivateDirectory(self.root + "/a/b")
        let lock = try self.disk.lock(self.root + "/a/b/lock")
        defer { lock.release() }
        for (path, access) in [("/a", 0o755), ("/a/b", 0o700), ("/a/b/lock", 0o600)] as [(String, mode_t)] {
            var status = stat()
            #expect(stat(self.root + path, &status) == 0)
            #expect(status.st_mode & 0o777 == access, "\(path)")
        }
    }

    @Test func allocatingKeepsWhatIsThereAndAddsZeros() throws {
        let file = try self.disk.open(self.root + "/a", .create)
        try [UInt8(7)].withUnsafeBytes { try file.write($0, at: 0) }
        try file.allocate(3 << 20)
        #expect(try file.size() == 3 << 20)
        let bytes = try self.read(file, 3 << 20, at: 0)
        #expect(bytes[0] == 7 && bytes.dropFirst().allSatisfy { $0 == 0 })
        try file.allocate(10)
        #expect(try file.size() == 3 << 20)
    }

    @Test func foldersAreMadeWithTheirParentsAndListed() throws {
        let directory = self.root + "/x/y/z"
        try self.disk.createDirectory(directory)
        try self.disk.createDirectory(directory)
        _ = try self.disk.open(directory + "/one", .create)
        _ = try self.disk.open(directory + "/two", .create)
        try self.disk.rename(directory + "/one", to: directory + "/three")
        try self.disk.syncDirectory(directory)
        #expect(try self.disk.list(directory).sorted() == ["three", "two"])
        try self.disk.remove(directory + "/two")
        #expect(!self.disk.exists(directory + "/two") && self.disk.exists(directory + "/three"))
    }

    @Test func errorsNameTheOperationThePathAndTheReason() {
        let path = self.root + "/missing"
        let error = #expect(throws: DiskError.self) { _ = try self.disk.open(path, .readOnly) }
        #expect(error == DiskError(operation: .open, path: path, errno: ENOENT))
        #expect(error?.description == "cannot open \(path): No such file or directory")
        #expect(throws: DiskError.self) { try self.disk.remove(path) }
        #expect(throws: DiskError.self) { try self.disk.rename(path, to: path + "2") }
        #expect(throws: DiskError.self) { try self.disk.syncDirectory(path) }
        #expect(throws: DiskError.self) { _ = try self.disk.list(path) }
    }

    @Test func aFileIsNoFolder() throws {
        _ = try self.disk.open(self.root + "/file", .create)
        let error = #expect(throws: DiskError.self) { try self.disk.createDirectory(self.root + "/file") }
        #expect(error?.errno == EEXIST)
    }

    @Test func aClosedFileRefusesInsteadOfTouchingAnotherOne() throws {
        let file = try self.disk.open(self.root + "/a", .create)
        file.close()
        file.close()
        let error = #expect(throws: DiskError.self) { try file.syncData() }
        #expect(error?.errno == EBADF)
    }

    @Test func aLockIsHeldOnceAndNamesItsHolder() throws {
        let path = self.root + "/LOCK"
        let lock = try self.disk.lock(path)
        let error = #expect(throws: DiskLockError.self) { _ = try self.disk.lock(path) }
        guard case .held(path, getpid()) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        lock.release()
        _ = try self.disk.lock(path)
    }
}
