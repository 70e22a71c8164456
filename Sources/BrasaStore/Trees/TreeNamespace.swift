/// The name of a tree: 1 to 63 letters, digits, hyphens and underscores, as a label of a host name or `ns=` has it.
package struct TreeNamespace: Hashable, Sendable {
    package let utf8: [UInt8]

    package static let bytesMax = 63

    /// Of what a server keeps about its trees. Nobody who names a tree can name this one.
    package static let settings = TreeNamespace(unchecked: Array(".settings".utf8))

    private init(unchecked utf8: [UInt8]) {
        self.utf8 = utf8
    }

    /// As a record has it.
    init?(recorded bytes: some Collection<UInt8>) {
        guard bytes.elementsEqual(Self.settings.utf8) else {
            self.init(bytes)
            return
        }
        self = .settings
    }

    /// Nil for what is no name that a client may use.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard !bytes.isEmpty, bytes.count <= Self.bytesMax, bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.utf8 = bytes
    }

    package init?(_ text: String) {
        self.init(text.utf8)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension TreeNamespace: Comparable, CustomStringConvertible {
    package static func < (left: TreeNamespace, right: TreeNamespace) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    package var description: String { String(decoding: self.utf8, as: UTF8.self) }
}
