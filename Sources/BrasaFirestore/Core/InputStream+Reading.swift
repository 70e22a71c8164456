internal import BrasaApp
internal import BrasaStatus
internal import BrasaSync
internal import Dispatch
internal import Foundation

extension InputStream {
    /// Opens the stream, reads all of it and closes it, on a thread of the system's: the other end may be slow.
    func readToEnd(_ completion: @escaping @Sendable (Result<[UInt8], SyncError>) -> Void) {
        let stream = Handed(self)
        DispatchQueue.global().async { completion(stream.value.readAll()) }
    }

    nonisolated(nonsending) func readToEnd() async throws -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            self.readToEnd { continuation.resume(returning: $0) }
        }
        return try result.mapError { $0.nsError }.get()
    }

    private func readAll() -> Result<[UInt8], SyncError> {
        self.open()
        defer { self.close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = self.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else {
                let reason = self.streamError.map { ": \($0.localizedDescription)" } ?? "."
                return .failure(SyncError(.unknown, "The stream could not be read\(reason)", cause: self.streamError))
            }
            guard count > 0 else { return .success(bytes) }
            bytes += buffer[..<count]
        }
    }
}
