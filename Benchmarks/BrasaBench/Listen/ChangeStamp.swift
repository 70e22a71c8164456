import NIOCore

/// The time of a change, written into the document so that whoever receives it can tell how long that took.
enum ChangeStamp {
    /// A number that nothing else in a message holds.
    private static let magic: UInt64 = 0x9b61_c5f3_a8d7_e42d
    static let byteCount = 16

    static func bytes(_ stamp: UInt64) -> [UInt8] {
        [Self.magic, stamp].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        }
    }

    /// Finds stamps in messages that are all alike, at the place where the last one was if it is there again.
    struct Reader {
        private var place = 0

        mutating func stamp(in message: ByteBuffer) -> UInt64? {
            let last = message.readableBytes - ChangeStamp.byteCount
            guard last >= 0 else { return nil }
            if self.place <= last, let stamp = Self.stamp(in: message, at: self.place) { return stamp }
            for place in 0...last {
                guard let stamp = Self.stamp(in: message, at: place) else { continue }
                self.place = place
                return stamp
            }
            return nil
        }

        private static func stamp(in message: ByteBuffer, at place: Int) -> UInt64? {
            let start = message.readerIndex + place
            guard message.getInteger(at: start, as: UInt64.self) == ChangeStamp.magic else { return nil }
            return message.getInteger(at: start + 8)
        }
    }
}
