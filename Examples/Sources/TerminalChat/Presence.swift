import BrasaDatabase
import Foundation

/// Who is in a room. Each connection has a child of its own there, which the server removes when the connection ends,
/// however it ends.
@MainActor
final class Presence {
    private let here: DatabaseReference
    private let name: String
    private let terminal: Terminal
    /// Of this connection, or the last one.
    private var place: DatabaseReference
    /// By the keys of connections. Somebody may have two.
    private var names: [String: String] = [:]

    init(at here: DatabaseReference, as name: String, _ terminal: Terminal) {
        (self.here, self.name, self.terminal) = (here, name, terminal)
        self.place = here.childByAutoId()
    }

    // MARK: Others

    /// Says from now on who comes and who leaves, and is there itself whenever there is a connection.
    func follow() {
        self.here.observe(.childAdded) { snapshot in
            // What others have written may be anything.
            guard let name = snapshot.childSnapshot(forPath: "name").value as? String else { return }
            let isNew = !self.names.values.contains(name)
            self.names[snapshot.key] = name
            if isNew, name != self.name { self.terminal.show("* \(name) came \(self.list)") }
        }
        self.here.observe(.childRemoved) { snapshot in
            guard let name = self.names.removeValue(forKey: snapshot.key), name != self.name else { return }
            if !self.names.values.contains(name) { self.terminal.show("* \(name) left \(self.list)") }
        }
        Database.database().reference(withPath: ".info/connected").observe(.value) { snapshot in
            if snapshot.value as? Bool == true { self.enter() } else { self.wait() }
        }
    }

    private var list: String { "[\(Set(self.names.values).sorted().joined(separator: ", "))]" }

    // MARK: Oneself

    /// With each connection anew, since what the server was asked to do at the end of the last one is done.
    private func enter() {
        // The last connection's place goes in any case; its end may not have been noticed yet. So this one has another.
        self.place.removeValue()
        self.place = self.here.childByAutoId()
        // First what is to happen at the end: otherwise a connection that ends in between leaves somebody who is gone.
        self.place.onDisconnectRemoveValue()
        self.place.setValue(["name": self.name, "since": ServerValue.timestamp()])
        self.terminal.show("-- connected as \(self.name)")
    }

    private func wait() {
        self.terminal.show("-- no connection: what you say is sent when there is one")
    }

    /// Returns when the server knows, or does not answer.
    func leave() async {
        let place = self.place
        let isKnown = await withTaskGroup(of: Bool.self) { group in
            // Writes are carried out in their order, so this one comes after all that was said.
            group.addTask { (try? await place.removeValue()) != nil }
            group.addTask {
                try? await Task.sleep(for: .seconds(5))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !isKnown { self.terminal.show("-- the server has not said that it knows: it will notice by itself") }
    }
}
