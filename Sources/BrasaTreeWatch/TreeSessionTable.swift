package import BrasaPlatform
import Synchronization

/// The sessions of all loops by the names that clients know them by, so that a client's next connection ends its last.
package final class TreeSessionTable: Sendable {
    private struct Entry: Sendable {
        let session: TreeSession
        let mailbox: any Mailbox
    }

    private let entries = Mutex<[String: Entry]>([:])

    package init() {}

    /// Until `remove`.
    package func add(_ session: TreeSession, as name: String) {
        let entry = Entry(session: session, mailbox: session.watcher.mailbox)
        self.entries.withLock { $0[name] = entry }
    }

    package func remove(_ name: String) {
        _ = self.entries.withLock { $0.removeValue(forKey: name) }
    }

    /// Until what it left is written the session stays known, so that whoever asks for its end meanwhile waits as well.
    ///
    /// - Parameter done: called at once when there is no such session, else on the mailbox when what it left is written.
    package func end(_ name: String, on mailbox: any Mailbox, then done: @escaping @Sendable () -> Void) {
        guard let entry = self.entries.withLock({ $0[name] }) else { return done() }
        entry.mailbox.post {
            entry.session.replace {
                self.remove(name)
                mailbox.post(done)
            }
        }
    }
}
