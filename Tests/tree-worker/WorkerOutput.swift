import Foundation

/// Lines for the test: answers with the number of what was asked, in the order in which they are known, and between them
/// what nobody asked for.
struct WorkerOutput: Sendable {
    func answer(_ call: WorkerCall, _ parts: [String: Any] = [:]) {
        self.write(parts.merging(["id": call.id]) { $1 })
    }

    func tell(_ name: String, _ value: Any) { self.write(["told": name, "value": value]) }

    /// Only on the queue of the handlers: lines do not mix.
    private func write(_ parts: [String: Any]) {
        do {
            let line = try JSONSerialization.data(withJSONObject: parts)
            try FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
        } catch {
            stop("nothing can be answered: \(error)")
        }
    }
}

/// What a test has asked for wrongly, or cannot be told, ends the process.
func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("tree-worker: \(message)\n".utf8))
    exit(1)
}
