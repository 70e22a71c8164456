import BrasaPlatform
import Synchronization

final class Steps: Sendable {
    private let left: Mutex<Int>

    init(left: Int) { self.left = Mutex(left) }

    func take(_ operation: DiskError.Operation, _ path: String) throws(DiskError) {
        let isLeft = self.left.withLock { left in
            left -= 1
            return left >= 0
        }
        if !isLeft { throw DiskError(operation: operation, path: path, errno: 5) }
    }
}

final class InterruptedFile: DiskFile {
    private let file: any DiskFile
    private let steps: Steps
    private let path: String

    init(file: any DiskFile, steps: Steps, path: String) {
        self.file = file
        self.steps = steps
        self.path = path
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try self.steps.take(.write, self.path)
        try self.file.write(bytes, at: offset)
    }

    func syncData() throws(DiskError) {
        try self.steps.take(.sync, self.path)
        try self.file.syncData()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        try self.file.read(into: buffer, at: offset)
    }

    func size() throws(DiskError) -> Int { try self.file.size() }
    func allocate(_ bytes: Int) throws(DiskError) { try self.file.allocate(bytes) }
    func truncate(to bytes: Int) throws(DiskError) { try self.file.truncate(to: bytes) }
    func close() { self.file.close() }
}
