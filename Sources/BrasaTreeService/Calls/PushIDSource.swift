package import BrasaPlatform
package import BrasaTree
import Synchronization

/// The push ids of one server: each after the one before, whichever event loop asks.
package final class PushIDSource: Sendable {
    private struct Chance: RandomNumberGenerator {
        let entropy: Entropy

        mutating func next() -> UInt64 { self.entropy.next() }
    }

    private let generator = Mutex(PushIDGenerator())
    private let clock: Clock
    private let entropy: Entropy

    package init(clock: Clock, entropy: Entropy) {
        self.clock = clock
        self.entropy = entropy
    }

    package func next() -> TreeKey {
        let milliseconds = self.clock.wall().microseconds / 1_000
        return self.generator.withLock { generator in
            var chance = Chance(entropy: self.entropy)
            return generator.next(milliseconds: milliseconds, using: &chance)
        }
    }
}
