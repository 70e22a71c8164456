/// Writes a JSON text from its beginning to its end, without white space.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        self.enclosed(by: UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    package mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        self.enclosed(by: UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
            for element in elements { write(element, &writer) }
        }
    }

    package mutating func member(_ key: String, _ value: (inout JSONWriter) -> Void) {
        self.string(key.utf8)
        self.bytes.append(UInt8(ascii: ":"))
        self.needsComma = false
        value(&self)
    }

    package mutating func member(_ key: String, _ value: String) {
        self.member(key) { $0.string(value.utf8) }
    }

    package mutating func boolean(_ value: Bool) {
        self.scalar(value ? "true" : "false")
    }

    package mutating func null() {
        self.scalar("null")
    }

    package mutating func number(_ value: some BinaryInteger) {
        self.scalar(value.description)
    }

    /// What JSON has no number for is a string, as protocol buffers write it.
    package mutating func number(_ value: Double) {
        if value.isNaN {
            self.string("NaN".utf8)
        } else if value.isInfinite {
            self.string((value < 0 ? "-Infinity" : "Infinity").utf8)
        } else {
            self.scalar(value.description)
        }
    }

    /// The bytes are valid UTF-8.
    package mutating func string(_ text: some Sequence<UInt8>) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.bytes.append(UInt8(ascii: "\\"))
                self.bytes.append(byte)
            case 0..<0x20:
                self.bytes.append(contentsOf: "\\u00".utf8)
                self.bytes.append(Hexadecimal.digit(byte >> 4, .lower))
                self.bytes.append(Hexadecimal.digit(byte, .lower))
            default: self.bytes.append(byte)
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func scalar(_ text: String) {
        self.separate()
        self.bytes.append(contentsOf: text.utf8)
    }

    private mutating func enclosed(by open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
        self.separate()
        self.bytes.append(open)
        self.needsComma = false
        body(&self)
        self.bytes.append(close)
        self.needsComma = true
    }

    private mutating func separate() {
        if self.needsComma { self.bytes.append(UInt8(ascii: ",")) }
        self.needsComma = true
    }
}
