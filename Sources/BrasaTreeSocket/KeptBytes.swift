import BrasaHTTP2
import BrasaIdentity
import BrasaTree

/// What one connection keeps, by what it is kept for; drawn from the budget of all.
struct KeptBytes {
    /// By the transport, whatever it carries.
    var transport = 0
    /// Of messages: what came of one that is not complete, and frames that wait until it is known who sent them.
    var incoming = 0
    /// Of requests that wait, and of writes that are not answered, their messages.
    var requests = 0
    var listens = 0
    /// What is to be written at the end.
    var disconnect = 0
    /// Of messages that the transport keeps: long ones that the socket has not taken.
    var outgoing = 0

    private let budget: ByteBudget
    private(set) var drawn = 0

    init(_ budget: ByteBudget) {
        self.budget = budget
    }

    /// False when there is no room for what has come to be kept.
    mutating func draw(_ claim: CallerClaim?) -> Bool {
        let bytes =
            self.transport + self.incoming + self.requests + self.listens + self.disconnect + self.outgoing
        if bytes > self.drawn {
            guard claim?.setBytes(bytes) ?? true, self.budget.draw(bytes - self.drawn, holding: self.drawn) else {
                return false
            }
        } else if bytes < self.drawn {
            self.budget.giveBack(self.drawn - bytes)
            _ = claim?.setBytes(bytes)
        }
        self.drawn = bytes
        return true
    }

    mutating func giveBack() {
        self.budget.giveBack(self.drawn)
        self = KeptBytes(self.budget)
    }
}

extension TreeTarget {
    /// What one is kept in, with what is beside it for a listen.
    var keptBytes: Int {
        let keys = self.path.keys.reduce(0) { $0 + 32 + $1.text.utf8.count }
        return 1_536 + keys + (self.query?.wire.text.count ?? 0)
    }
}
