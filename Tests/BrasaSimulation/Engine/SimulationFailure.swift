/// What the checker found wrong.
package struct SimulationFailure: Error, CustomStringConvertible {
    package let promise: Promise
    package let detail: String

    package enum Promise: String, Sendable {
        case durability = "an acknowledged commit survives"
        case atomicity = "a commit happens as a whole or not at all"
        case visibility = "what is shown is durable, and nothing durable is missing from it"
        case order = "commit times strictly increase, beyond every time that was read at"
        case results = "a commit answers what it did"
        case serializability = "a transaction saw the state just before its commit"
        case consistency = "the reads of one transaction fit one moment"
        case rules = "no write is carried out that the rules forbid at its commit's time"
        case refusal = "a commit is refused only for a reason that there was"
        case once = "what is repeated only where the server invites to happens once"
        case liveness = "every call is answered exactly once"
        case space = "a full disk refuses what does not fit, and all goes on when there is room"
        case listening = "a listener is told of states that there were, each as a whole, and of the last one"
        case recovery = "a crashed store can be opened"
    }

    init(_ promise: Promise, _ detail: String) {
        self.promise = promise
        self.detail = detail
    }

    package var description: String { "broken promise: \(self.promise.rawValue): \(self.detail)" }
}
