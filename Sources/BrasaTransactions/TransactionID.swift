package import BrasaPlatform

/// The name of a transaction: sixteen random bytes, so that nobody can guess another's.
package struct TransactionID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Nil when these cannot be bytes that a server gave out; the answer is then `TransactionError.invalidTransaction`.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package init(entropy: Entropy) {
        self.high = entropy.next()
        self.low = entropy.next()
    }

    package var bytes: [UInt8] {
        [self.high, self.low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }
}
