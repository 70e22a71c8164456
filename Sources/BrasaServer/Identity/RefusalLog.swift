import BrasaTokens
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// Tells the operator why tokens are refused, which their senders are not told: the first at once, then one line in ten
/// seconds for each reason. Nothing of a token is written.
final class RefusalLog: Sendable {
    private struct Entry {
        var told: NIODeadline
        var untold = 0
    }

    private static let tellInterval: TimeAmount = .seconds(10)

    private let entries = NIOLockedValueBox<[String: Entry]>([:])
    private let total = NIOLockedValueBox(0)
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    var count: Int { self.total.withLockedValue { $0 } }

    func note(_ refusal: TokenRefusal, _ visitor: Visitor) {
        self.note("a token is refused", reason: refusal.description, visitor)
    }

    func noteBusy(_ visitor: Visitor) {
        self.note("a token is not verified", reason: "too many wait for that", visitor)
    }

    func note(_ text: Logger.Message, reason: String, _ visitor: Visitor, now: NIODeadline = .now()) {
        self.total.withLockedValue { $0 += 1 }
        let untold = self.entries.withLockedValue { entries -> Int? in
            if let entry = entries[reason], now - entry.told < Self.tellInterval {
                entries[reason]?.untold += 1
                return nil
            }
            defer { entries[reason] = Entry(told: now) }
            return entries[reason]?.untold ?? 0
        }
        guard let untold else { return }
        self.logger.warning(text, metadata: ["reason": "\(reason)", "peer": "\(visitor.text)", "more": "\(untold)"])
    }
}
