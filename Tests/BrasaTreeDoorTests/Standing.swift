import Synchronization

/// Whether a credential holds, for a test to say.
final class Standing: Sendable {
    private let state = Mutex(true)

    var value: Bool {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}
