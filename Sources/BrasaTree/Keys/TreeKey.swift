/// A child's name: 1 to 768 bytes of UTF-8 without `.`, `#`, `$`, `/`, `[`, `]` and control characters. Equal by its bytes.
package struct TreeKey: Hashable, Sendable {
    package let text: TreeText

    package init(_ text: TreeText) throws(TreeError) {
        if let fault = text.utf8.withUnsafeBufferPointer(TreeKey.fault) { throw TreeError(fault) }
        self.text = text
    }

    package init(_ text: String) throws(TreeError) {
        try self.init(TreeText(text))
    }

    /// For the bytes of a key that was checked before.
    init(checked bytes: UnsafeBufferPointer<UInt8>) {
        self.text = TreeText(checked: bytes)
    }

    init(checked text: TreeText) {
        self.text = text
    }

    package var utf8: [UInt8] { self.text.utf8 }

    /// What is wrong with bytes as a key. They are valid UTF-8.
    static func fault(_ bytes: UnsafeBufferPointer<UInt8>) -> TreeError.Reason? {
        guard bytes.count <= TreeLimits.keyBytesMax else { return .keyTooLong(bytes: bytes.count) }
        guard !bytes.isEmpty, bytes.allSatisfy(self.isAllowed) else { return .invalidKey(TreeText(checked: bytes)) }
        return nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x1F, 0x7F, UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "/"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            false
        default: true
        }
    }
}

extension TreeKey: Comparable, CustomStringConvertible {
    package static func < (left: TreeKey, right: TreeKey) -> Bool { self.compare(left.text, right.text) < 0 }

    package var description: String { self.text.string }

    /// The order of keys, for texts that need not be keys (bounds of queries, `.priority`).
    static func compare(_ left: TreeText, _ right: TreeText) -> Int {
        left.utf8.withUnsafeBufferPointer { left in
            right.utf8.withUnsafeBufferPointer { KeyOrder.compare(left, $0) }
        }
    }
}
