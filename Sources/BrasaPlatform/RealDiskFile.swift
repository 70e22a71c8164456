import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An open file descriptor, closed with its owner.
package final class RealDiskFile: DiskFile {
    /// -1 once closed.
    private let descriptor: Atomic<Int32>
    private let path: String

    init(descriptor: Int32, path: String) {
        self.descriptor = Atomic(descriptor)
        self.path = path
    }

    deinit {
        self.close()
    }

    package func close() {
        let descriptor = self.descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        if descriptor >= 0 { closeDescriptor(descriptor) }
    }

    private var number: Int32 { self.descriptor.load(ordering: .acquiring) }

    private func error(_ operation: DiskError.Operation, _ number: Int32) -> DiskError {
        DiskError(operation: operation, path: self.path, errno: number)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = retrying { pwrite(self.number, rest.baseAddress, rest.count, off_t(offset + done)) }
            if count < 0 { throw self.error(.write, errno) }
            // A write that makes no progress without an error would spin for ever.
            if count == 0 { throw self.error(.write, EIO) }
            done += count
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        let count = retrying { pread(self.number, buffer.baseAddress, buffer.count, off_t(offset)) }
        if count < 0 { throw self.error(.read, errno) }
        return count
    }

    package func size() throws(DiskError) -> Int {
        var status = stat()
        if fstat(self.number, &status) != 0 { throw self.error(.size, errno) }
        return Int(status.st_size)
    }

    /// Writes zeros rather than only reserving: blocks that were merely reserved are marked so, and the first write to
    /// each would change that mark, which the next sync would have to write to the file system's journal.
    package func allocate(_ bytes: Int) throws(DiskError) {
        let start = try self.size()
        if start >= bytes { return }
        #if canImport(Glibc)
            // Claims all of the space first, so that a disk that is too full says so before the long write.
            let result = posix_fallocate(self.number, off_t(start), off_t(bytes - start))
            if result != 0 && result != EOPNOTSUPP && result != EINVAL { throw self.error(.allocate, result) }
        #endif
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        var offset = start
        while offset < bytes {
            let count = min(zeros.count, bytes - offset)
            try self.write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: offset)
            offset += count
        }
    }

    package func truncate(to bytes: Int) throws(DiskError) {
        if retrying({ ftruncate(self.number, off_t(bytes)) }) != 0 { throw self.error(.truncate, errno) }
    }

    /// Never retried after an error: the kernel may have dropped the dirty pages and would answer the second call with
    /// success.
    package func syncData() throws(DiskError) {
        #if canImport(Glibc)
            let result = fdatasync(self.number)
        #else
            let result = fcntl(self.number, F_FULLFSYNC)
        #endif
        if result != 0 { throw self.error(.sync, errno) }
    }
}

/// Repeats a call that a signal interrupted.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}

// The protocol's `close` hides the C function.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
