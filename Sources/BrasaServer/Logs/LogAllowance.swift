import NIOCore
import Synchronization

/// How many lines of a kind are written: strangers cause them, and are not to fill the disk.
final class LogAllowance<Kind: Hashable & Sendable>: Sendable {
    private struct Window {
        var end: NIODeadline
        var count = 0
        var leftOut = 0
    }

    private static var span: TimeAmount { .minutes(1) }

    private let linesMax: Int
    private let windows = Mutex<[Kind: Window]>([:])

    /// - Parameter linesMax: of each kind in a minute.
    init(linesMax: Int) {
        self.linesMax = linesMax
    }

    /// Nil: not this one. Else how many were left out since the last one that was written.
    func admit(_ kind: Kind, now: NIODeadline = .now()) -> Int? {
        self.windows.withLock { windows in
            var window = windows[kind] ?? Window(end: now + Self.span)
            defer { windows[kind] = window }
            if now >= window.end {
                window.end = now + Self.span
                window.count = 0
            }
            guard window.count < self.linesMax else {
                window.leftOut += 1
                return nil
            }
            window.count += 1
            defer { window.leftOut = 0 }
            return window.leftOut
        }
    }
}
