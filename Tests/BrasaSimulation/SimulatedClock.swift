package import BrasaPlatform
import Synchronization

/// A clock that stands still until the simulation moves it.
package final class SimulatedClock: Sendable {
    private struct Now {
        var wall: WallTime
        var monotonic = MonotonicTime(sinceStart: .seconds(1))
    }

    private let now: Mutex<Now>

    package init(wallMicroseconds: Int64 = 1_700_000_000_000_000) {
        self.now = Mutex(Now(wall: WallTime(microseconds: wallMicroseconds)))
    }

    /// The seam to hand to what is simulated.
    package var clock: Clock {
        Clock(
            wall: { self.now.withLock { $0.wall } },
            monotonic: { self.now.withLock { $0.monotonic } }
        )
    }

    /// Time passes: both clocks move forward.
    package func advance(microseconds: Int64) {
        precondition(microseconds >= 0, "time does not run backwards; step the wall clock instead")
        self.now.withLock {
            $0.wall.microseconds += microseconds
            $0.monotonic = $0.monotonic + .microseconds(microseconds)
        }
    }

    /// Someone sets the wall clock, forwards or back; the monotonic one does not notice.
    package func step(microseconds: Int64) {
        self.now.withLock { $0.wall.microseconds += microseconds }
    }
}

extension Entropy {
    /// A seeded sequence, for simulations.
    package static func seeded(_ seed: UInt64) -> Entropy {
        let generator = SeededGenerator(seed: seed)
        return Entropy { generator.next() }
    }
}

private final class SeededGenerator: Sendable {
    private let random: Mutex<SeededRandom>

    init(seed: UInt64) {
        self.random = Mutex(SeededRandom(seed: seed))
    }

    func next() -> UInt64 {
        self.random.withLock { $0.next() }
    }
}
