import BrasaDatabase
import Foundation

/// What is said in a room, each under a key that comes after the ones before.
@MainActor
final class Messages {
    /// As it is read. The time is in milliseconds since 1970.
    private struct Message: Decodable {
        let from: String
        let text: String
        let at: Double
    }

    /// Who comes later sees this many of those before.
    private static let shown: UInt = 20

    private let messages: DatabaseReference
    private let name: String
    private let terminal: Terminal

    init(at messages: DatabaseReference, from name: String, _ terminal: Terminal) {
        (self.messages, self.name, self.terminal) = (messages, name, terminal)
    }

    /// Shows the last messages, and from now on each new one, one's own included: those are told at once, with a time that
    /// is estimated until the server has them.
    func follow() {
        let last = self.messages.queryOrderedByKey().queryLimited(toLast: Self.shown)
        last.observe(.childAdded) { snapshot in
            guard let message = try? snapshot.data(as: Message.self) else { return }
            let time = Date(timeIntervalSince1970: message.at / 1_000)
            let clock = Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false)
            self.terminal.show("\(time.formatted(clock)) \(message.from): \(message.text)")
        } withCancel: { error in
            self.terminal.show("-- this room cannot be read: \(error.localizedDescription)")
        }
    }

    /// Does not wait: without a connection it is sent later, and in order.
    func say(_ text: String) {
        let message: [String: Any] = ["from": self.name, "text": text, "at": ServerValue.timestamp()]
        self.messages.childByAutoId().setValue(message) { error, _ in
            if let error { self.terminal.show("-- not said, \(error.localizedDescription): \(text)") }
        }
    }
}
