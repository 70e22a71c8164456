import Dispatch
import Foundation

/// Ctrl-C, as something to wait for.
enum Interrupts {
    /// Returns at the first one, or when the task is cancelled.
    static func first() async {
        let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
        // What a process does with the signal by itself is to end.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { continuation.yield() }
        source.activate()
        for await _ in interrupts { break }
        source.cancel()
    }
}
