import BrasaTree
import BrasaTreeWire
import NIOCore

/// What waits for a transport that takes nothing: which targets have changed, not how, and answers. Both are bounded by what a
/// connection may have open.
struct TreeOutbox {
    enum Item {
        case target(TreeTarget)
        case answer(TreeRequest.Ticket, TreeStatus, ResponseData)
    }

    private struct Answer {
        let ticket: TreeRequest.Ticket
        let status: TreeStatus
        let data: ResponseData
    }

    private var targets = CircularBuffer<TreeTarget>()
    private var noted: Set<TreeTarget> = []
    private var answers = CircularBuffer<Answer>()

    var isEmpty: Bool { self.targets.isEmpty && self.answers.isEmpty }

    mutating func note(_ target: TreeTarget) {
        if self.noted.insert(target).inserted { self.targets.append(target) }
    }

    mutating func hold(_ ticket: TreeRequest.Ticket, _ status: TreeStatus, _ data: ResponseData) {
        self.answers.append(Answer(ticket: ticket, status: status, data: data))
    }

    /// Targets first: an answer may follow what it is about, never the other way round.
    mutating func next() -> Item? {
        if let target = self.targets.popFirst() {
            self.noted.remove(target)
            return .target(target)
        }
        return self.answers.popFirst().map { .answer($0.ticket, $0.status, $0.data) }
    }
}
