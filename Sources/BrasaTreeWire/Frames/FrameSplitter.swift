/// Cuts a message for a client: more than 16,384 UTF-16 code units go in several frames, after one with their number.
package enum FrameSplitter {
    static let unitsMax = 16_384

    /// The message is valid UTF-8, and no number. Cuts are between code points, so that every frame is a text.
    package static func split(_ message: [UInt8]) -> [[UInt8]] {
        // No text has more units than bytes.
        guard message.count > self.unitsMax else { return [message] }
        var frames: [[UInt8]] = []
        var start = 0
        var units = 0
        for (index, byte) in message.enumerated() where byte & 0xC0 != 0x80 {
            let width = byte >= 0xF0 ? 2 : 1
            if units + width > self.unitsMax {
                frames.append(Array(message[start..<index]))
                start = index
                units = 0
            }
            units += width
        }
        frames.append(Array(message[start...]))
        return frames.count == 1 ? frames : [Array("\(frames.count)".utf8)] + frames
    }
}
