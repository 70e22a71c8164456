extension OrderPreservingKey {
    /// The id of a document that `appendID(of:)` wrote as all of these bytes; nil when it writes no id so.
    package static func documentID(in part: UnsafeRawBufferPointer) -> [UInt8]? {
        var reader = KeyPartReader(part)
        guard reader.pathSegment() == 0..<part.count else { return nil }
        guard part[0] != 1 else {
            let number = UInt64(bigEndian: part.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) ^ (1 << 63)
            return Array("__id\(Int64(bitPattern: number))__".utf8)
        }
        guard part[0] == 2 else { return nil }
        let run = UnsafeRawBufferPointer(rebasing: part[1..<(part.count - 2)])
        guard ResourceID.number(run) == nil else { return nil }
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
