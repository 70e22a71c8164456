extension OrderPreservingKey {
    /// The segment of a path that `appendID(of:)` wrote as all of these bytes; nil when they are nothing of the kind.
    package static func segment(in part: UnsafeRawBufferPointer) -> [UInt8]? {
        var reader = KeyPartReader(part)
        guard reader.pathSegment() == 0..<part.count else { return nil }
        guard part[0] != 1 else {
            let number = UInt64(bigEndian: part.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) ^ (1 << 63)
            return Array("__id\(Int64(bitPattern: number))__".utf8)
        }
        let run = UnsafeRawBufferPointer(rebasing: part[1..<(part.count - 2)])
        guard run.contains(0) else { return Array(run) }
        // 00 FF stands for a zero byte.
        var bytes: [UInt8] = []
        var index = 0
        while index < run.count {
            bytes.append(run[index])
            index += run[index] == 0 ? 2 : 1
        }
        return bytes
    }
}
