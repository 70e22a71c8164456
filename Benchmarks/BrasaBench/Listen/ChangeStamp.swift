import NIOCore

/// The time of a change, written into what is changed so that whoever receives it can tell how long that took.
enum ChangeStamp {
    /// How it is written.
    enum Form {
        /// In messages that hold any bytes.
        case bytes
        /// In texts: with sixteen hexadecimal digits.
        case text

        /// Nothing else in a message is like its first eight bytes.
        fileprivate var magic: UInt64 {
            switch self {
            case .bytes: 0x9b61_c5f3_a8d7_e42d
            // "stamped~"
            case .text: 0x7374_616d_7065_647e
            }
        }

        var byteCount: Int {
            switch self {
            case .bytes: ChangeStamp.byteCount
            case .text: ChangeStamp.textByteCount
            }
        }
    }

    static let byteCount = 16
    static let textByteCount = 24

    static func bytes(_ stamp: UInt64) -> [UInt8] { Self.bigEndian(Form.bytes.magic) + Self.bigEndian(stamp) }

    static func text(_ stamp: UInt64) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        let number = (0..<16).map { digits[Int(stamp >> UInt64(60 - 4 * $0) & 15)] }
        return Self.bigEndian(Form.text.magic) + number
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    /// Finds stamps in messages that are all alike, at the place where the last one was if it is there again.
    struct Reader {
        private let form: Form
        private var place = 0

        init(_ form: Form = .bytes) {
            self.form = form
        }

        mutating func stamp(in message: ByteBuffer) -> UInt64? {
            let last = message.readableBytes - self.form.byteCount
            guard last >= 0 else { return nil }
            if self.place <= last, let stamp = self.stamp(in: message, at: self.place) { return stamp }
            for place in 0...last {
                guard let stamp = self.stamp(in: message, at: place) else { continue }
                self.place = place
                return stamp
            }
            return nil
        }

        private func stamp(in message: ByteBuffer, at place: Int) -> UInt64? {
            let start = message.readerIndex + place
            guard message.getInteger(at: start, as: UInt64.self) == self.form.magic else { return nil }
            switch self.form {
            case .bytes: return message.getInteger(at: start + 8)
            case .text: return Self.number(message, at: start + 8)
            }
        }

        private static func number(_ message: ByteBuffer, at start: Int) -> UInt64? {
            var number: UInt64 = 0
            for offset in 0..<16 {
                guard let byte = message.getInteger(at: start + offset, as: UInt8.self),
                    let digit = Character(Unicode.Scalar(byte)).hexDigitValue
                else { return nil }
                number = number << 4 | UInt64(digit)
            }
            return number
        }
    }
}
