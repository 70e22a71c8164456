internal import Synchronization

/// A simple hash as text, kept with the node that it is of.
final class HashText: Sendable {
    let utf8: [UInt8]
    /// What Apple's clients make of the node, once it was asked for.
    let appleOrder = AtomicLazyReference<HashText>()

    /// Nodes with fewer beneath them keep none, and are hashed again when asked again: what they would keep costs more than
    /// they do.
    static let nodesMin = 16

    /// What one takes in memory: an object of two words, and 28 bytes.
    static let bytes = Allocation.rounded(16 + 2 * 8) + Allocation.ofArray(28)

    init(_ utf8: [UInt8]) {
        self.utf8 = utf8
    }
}
