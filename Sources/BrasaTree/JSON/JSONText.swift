import BrasaBytes

/// Writes JSON text: what an emitter emits into.
package struct JSONText: JSONSink, Sendable {
    package typealias Failure = Never

    package private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    /// Of the levels that are open, whether they have a member.
    private var levels: [Bool] = []
    private var followsKey = false

    /// Pretty text is indented by two spaces a level.
    package init(isPretty: Bool = false) {
        self.isPretty = isPretty
    }

    /// Hands out what was written so far, and goes on after it.
    package mutating func take() -> [UInt8] {
        defer { self.bytes = [] }
        return self.bytes
    }

    package var path: TreePath? { nil }

    package mutating func null() {
        self.separate()
        self.bytes += JSONLiteral.null.text
    }

    package mutating func scalar(_ value: JSONScalar) {
        self.separate()
        switch value {
        case .boolean(let value): self.bytes += value ? JSONLiteral.true.text : JSONLiteral.false.text
        case .integer(let value): JSONNumber.append(value, to: &self.bytes)
        case .double(let value): JSONNumber.append(value, to: &self.bytes)
        }
    }

    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        self.separate()
        self.quote(text)
    }

    package mutating func key(_ text: UnsafeBufferPointer<UInt8>) {
        self.separate()
        self.quote(text)
        if self.isPretty { self.bytes.append(UInt8(ascii: " ")) }
        self.bytes.append(UInt8(ascii: ":"))
        if self.isPretty { self.bytes.append(UInt8(ascii: " ")) }
        self.followsKey = true
    }

    package mutating func beginObject() { self.begin(UInt8(ascii: "{")) }
    package mutating func endObject() { self.end(UInt8(ascii: "}")) }
    package mutating func beginArray() { self.begin(UInt8(ascii: "[")) }
    package mutating func endArray() { self.end(UInt8(ascii: "]")) }

    private mutating func begin(_ mark: UInt8) {
        self.separate()
        self.bytes.append(mark)
        self.levels.append(false)
    }

    private mutating func end(_ mark: UInt8) {
        let hasMembers = self.levels.popLast() ?? false
        if hasMembers { self.breakLine() }
        self.bytes.append(mark)
    }

    private mutating func separate() {
        if self.followsKey {
            self.followsKey = false
            return
        }
        guard let top = self.levels.indices.last else { return }
        if self.levels[top] { self.bytes.append(UInt8(ascii: ",")) }
        self.levels[top] = true
        self.breakLine()
    }

    private mutating func breakLine() {
        guard self.isPretty else { return }
        self.bytes.append(UInt8(ascii: "\n"))
        self.bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * self.levels.count))
    }

    private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
        self.bytes.append(UInt8(ascii: "\""))
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            self.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            self.escape(byte)
            start = index + 1
        }
        self.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        self.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        self.bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: self.bytes.append(UInt8(ascii: "b"))
        case 0x09: self.bytes.append(UInt8(ascii: "t"))
        case 0x0A: self.bytes.append(UInt8(ascii: "n"))
        case 0x0C: self.bytes.append(UInt8(ascii: "f"))
        case 0x0D: self.bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            self.bytes += "u00".utf8
            self.bytes += [Hexadecimal.digit(byte >> 4, .lower), Hexadecimal.digit(byte, .lower)]
        default: self.bytes.append(byte)
        }
    }
}
