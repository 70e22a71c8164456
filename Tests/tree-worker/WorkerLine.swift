import BrasaDatabase

/// The worker's connections: how many there have been, and that somebody is there while there is one.
// @unchecked: everything happens on the queue of the handlers.
final class WorkerLine: @unchecked Sendable {
    private let database: Database
    private let output: WorkerOutput
    private let presence: String?
    private let life: String
    /// Connections so far.
    private var count = 0
    private var isConnected = false
    /// The server has acknowledged that this process is there, on the connection that there is.
    private var hasJoined = false
    private var waiting: [WorkerCall] = []

    init(_ database: Database, _ output: WorkerOutput, presence: String?, life: String) {
        (self.database, self.output, self.presence, self.life) = (database, output, presence, life)
    }

    func watch() {
        self.database.reference(withPath: ".info/connected").observe(.value) { snapshot in
            let isConnected = snapshot.value as? Bool ?? false
            guard isConnected != self.isConnected else { return }
            self.isConnected = isConnected
            self.hasJoined = false
            guard isConnected else { return }
            self.count += 1
            self.output.tell("connections", self.count)
            self.join()
        }
    }

    /// As Google's page on presence has it: first what the server does at the end, then what is true until then. The end of a
    /// connection takes back what was said on it and nothing else; what is said on one replaces what earlier ones said.
    private func join() {
        guard let presence else { return self.joined(self.count) }
        let (place, name, count) = (
            self.database.reference(withPath: presence), "\(self.life)-\(self.count)", self.count
        )
        place.child(name).onDisconnectRemoveValue(completionBlock: nil)
        place.setValue([name: true]) { error, _ in
            if error == nil { self.joined(count) }
        }
    }

    private func joined(_ count: Int) {
        guard self.isConnected, count == self.count else { return }
        self.hasJoined = true
        for call in self.waiting { self.output.answer(call) }
        self.waiting = []
    }

    /// Answers when there is a connection, the server knows what to do at its end and others see that this process is there.
    func whenJoined(_ call: WorkerCall) {
        if self.hasJoined { self.output.answer(call) } else { self.waiting.append(call) }
    }

    /// Gives, when a request is answered, on how many connections it can have been sent at most.
    func carried() -> () -> Int {
        let before = self.count - (self.isConnected ? 1 : 0)
        return { self.count - before }
    }
}
