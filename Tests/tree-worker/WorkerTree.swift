import BrasaDatabase
import Foundation

/// Does what calls ask for, by the library's public functions alone.
// @unchecked: everything happens on the queue of the handlers, but for transactions' blocks, which have no part in it.
final class WorkerTree: @unchecked Sendable {
    private let database: Database
    private let output: WorkerOutput
    private let line: WorkerLine
    private var observers: [String: WorkerObserver] = [:]

    init(_ database: Database, _ output: WorkerOutput, _ line: WorkerLine) {
        (self.database, self.output, self.line) = (database, output, line)
    }

    func perform(_ text: String) {
        do {
            let call = try WorkerCall(text)
            switch call.name {
            case "set": try self.set(call)
            case "update": try self.update(call)
            case "setPriority":
                try call.reference(self.database).setPriority(call["priority"], withCompletionBlock: self.done(call))
            case "push": try self.push(call)
            case "get": try self.get(call)
            case "observe": try self.observe(call)
            case "show": self.output.answer(call, ["observers": self.observers.mapValues(\.shown)])
            case "forget":
                self.observers.removeValue(forKey: try call.text("name"))?.end()
                self.output.answer(call)
            case "keepSynced":
                try call.query(self.database).keepSynced(call.flag("on"))
                self.output.answer(call)
            case "add": try self.add(call)
            case "enter": try self.enter(call)
            case "network": self.turnNetwork(call)
            case "joined": self.line.whenJoined(call)
            default: throw WorkerCall.Malformed(description: "no call: \(text)")
            }
        } catch {
            stop("\(error)")
        }
    }

    /// Answers when the server has.
    private func done(_ call: WorkerCall, _ parts: [String: Any] = [:]) -> WriteCompletion {
        let carried = self.line.carried()
        return { error, _ in
            var parts = parts
            parts["connections"] = carried()
            if let error { parts["error"] = error.localizedDescription }
            self.output.answer(call, parts)
        }
    }

    private func set(_ call: WorkerCall) throws {
        let reference = try call.reference(self.database)
        if let priority = call["priority"] {
            reference.setValue(call["value"], andPriority: priority, withCompletionBlock: self.done(call))
        } else {
            reference.setValue(call["value"], withCompletionBlock: self.done(call))
        }
    }

    private func update(_ call: WorkerCall) throws {
        let changes = try call.members("values")
        try call.reference(self.database).updateChildValues(changes, withCompletionBlock: self.done(call))
    }

    private func push(_ call: WorkerCall) throws {
        let child = try call.reference(self.database).childByAutoId()
        child.setValue(call["value"], withCompletionBlock: self.done(call, ["key": child.key ?? ""]))
    }

    private func get(_ call: WorkerCall) throws {
        try call.query(self.database).getData { error, snapshot in
            guard let snapshot else {
                return self.output.answer(call, ["error": error?.localizedDescription ?? "no snapshot"])
            }
            self.output.answer(call, snapshot.shown)
        }
    }

    private func observe(_ call: WorkerCall) throws {
        let name = try call.text("name")
        let tell: ((Any) -> Void)? = call.flag("tell") ? { self.output.tell(name, $0) } : nil
        self.observers[name] = WorkerObserver(try call.query(self.database), tell)
        self.output.answer(call)
    }

    private func turnNetwork(_ call: WorkerCall) {
        if call.flag("on") { self.database.goOnline() } else { self.database.goOffline() }
        self.output.answer(call)
    }

    // MARK: Transactions

    private func add(_ call: WorkerCall) throws {
        let amount = try call.number("amount")
        try self.transact(call) { ($0 as? Int ?? 0) + amount }
    }

    /// Counts, and notes what was counted.
    private func enter(_ call: WorkerCall) throws {
        let entry = try call.text("entry")
        try self.transact(call) { value in
            let tally = value as? [String: Any] ?? [:]
            var entries = tally["entries"] as? [String: Any] ?? [:]
            entries[entry] = true
            return ["count": (tally["count"] as? Int ?? 0) + 1, "entries": entries]
        }
    }

    private func transact(_ call: WorkerCall, _ change: @escaping (Any?) -> Any) throws {
        try call.reference(self.database).runTransactionBlock(
            { data in
                data.value = change(data.value)
                return .success(withValue: data)
            },
            andCompletionBlock: { error, isCommitted, snapshot in
                var parts: [String: Any] = ["committed": isCommitted]
                if let error { parts["error"] = error.localizedDescription }
                if let snapshot { parts["value"] = snapshot.value ?? NSNull() }
                self.output.answer(call, parts)
            },
            withLocalEvents: !call.flag("hidden")
        )
    }
}
