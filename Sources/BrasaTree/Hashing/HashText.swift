internal import Synchronization

/// A simple hash as text, kept with the node that it is of.
final class HashText: Sendable {
    let utf8: [UInt8]
    /// What Apple's clients make of the node, once it was asked for.
    let appleOrder = AtomicLazyReference<HashText>()

    init(_ utf8: [UInt8]) {
        self.utf8 = utf8
    }
}
