import Logging
import Synchronization

/// What is logged, which may change while the server runs.
final class LogLevel: Sendable {
    private static let levels = Logger.Level.allCases

    private let index = Atomic<Int>(0)

    init(_ level: Logger.Level = .info) {
        self.value = level
    }

    var value: Logger.Level {
        get { Self.levels[self.index.load(ordering: .relaxed)] }
        set { self.index.store(Self.levels.firstIndex(of: newValue) ?? 0, ordering: .relaxed) }
    }
}
