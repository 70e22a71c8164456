/// A simple hash as text, kept with the node that it is of.
final class HashText: Sendable {
    let utf8: [UInt8]

    init(_ utf8: [UInt8]) {
        self.utf8 = utf8
    }
}
