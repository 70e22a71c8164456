/// What a record holds. Whoever appends says how long it is; the bytes themselves are asked for once, on the log's thread,
/// and written to where the group is made ready.
package protocol LogPayload: Sendable {
    var byteCount: Int { get }

    /// Fills all of `bytes`, which are `byteCount`.
    func write(into bytes: UnsafeMutableRawBufferPointer)
}

extension [UInt8]: LogPayload {
    package var byteCount: Int { self.count }

    package func write(into bytes: UnsafeMutableRawBufferPointer) {
        self.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }
}
