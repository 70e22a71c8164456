import BrasaDocuments
import BrasaStore
import BrasaTree

/// What sessions leave to be written at their ends.
extension TreeChecker {
    /// Of one session, whose end was not written yet.
    struct Ending {
        let tree: String
        /// What it left after each of its requests; those before the last that is known to be durable are gone.
        fileprivate(set) var states: [(request: Int, queue: DisconnectQueue)] = [(0, DisconnectQueue())]
        fileprivate var course = Course.open

        fileprivate enum Course {
            /// Nothing of it may be written.
            case open
            /// All that it left is, in this life of the server or a later one.
            case ended
            /// Its process died: what of it was durable is.
            case cutOff
        }

        var last: DisconnectQueue { self.states.last?.queue ?? DisconnectQueue() }

        /// What may be written now.
        fileprivate var possible: [DisconnectQueue] {
            switch self.course {
            case .open: []
            case .ended: [self.last]
            case .cutOff: self.states.map(\.queue)
            }
        }
    }

    func open(_ session: Int, of tree: String) { self.endings[session] = Ending(tree: tree) }

    /// The session has asked to leave this from now on.
    func leaves(_ queue: DisconnectQueue, _ session: Int, request: Int) {
        self.endings[session]?.states.append((request, queue))
    }

    /// Nothing of the newest request has happened.
    func isRefused(_ session: Int, request: Int) throws {
        guard self.endings[session]?.states.last?.request == request else {
            throw SimulationFailure(.refusal, "what session \(session) leaves was refused after it was taken")
        }
        self.endings[session]?.states.removeLast()
    }

    /// It is durable, and so is all before it.
    func isKept(_ session: Int, request: Int) { self.endings[session]?.states.removeAll { $0.request < request } }

    func end(_ session: Int) {
        self.endings[session]?.course = .ended
    }

    /// The process has died, and all sessions with it.
    func cutOff() {
        for session in self.endings.keys { self.endings[session]?.course = .cutOff }
    }

    /// Whether a step is the end of a session: then it has ended.
    func takeEnding(of tree: String, from before: TreeNode, to after: TreeNode, at time: Int64) -> Bool {
        let ended = self.endings.first { _, ending in
            ending.tree == tree
                && ending.possible.contains { !$0.isEmpty && self.effect(of: $0.writes, on: before, at: time) == after }
        }
        guard let ended else { return false }
        self.endings[ended.key] = nil
        return true
    }

    /// When nothing is on its way any more: what was left by sessions that have ended was written.
    func checkEndings() throws {
        for (session, ending) in self.endings.sorted(by: { $0.key < $1.key }) {
            switch ending.course {
            case .open: continue
            case .ended where ending.last.isEmpty: break
            case .cutOff where ending.states.contains(where: { $0.queue.isEmpty }): break
            case .ended, .cutOff:
                throw SimulationFailure(.durability, "what session \(session) left in \(ending.tree) was not written")
            }
            self.endings[session] = nil
        }
    }
}
