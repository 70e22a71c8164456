/// Who is told of an outcome: gathered where it is decided, under a lock perhaps, and told once that is left. Each mailbox
/// is posted to once, in the order in which they came.
package struct Completions<Value: Sendable> {
    package typealias Completion = @Sendable (Value) -> Void

    private struct Box {
        let mailbox: (any Mailbox)?
        let first: Completion
        /// Most have none.
        var others: [Completion] = []
    }

    private var boxes: [Box] = []

    package init() {}

    /// - Parameter mailbox: nil: told on the thread that calls `run`, before it returns.
    package mutating func add(_ mailbox: (any Mailbox)?, _ completion: @escaping Completion) {
        // A handful of mailboxes: a linear search beats hashing.
        if let index = self.boxes.firstIndex(where: { $0.mailbox === mailbox }) {
            self.boxes[index].others.append(completion)
        } else {
            self.boxes.append(Box(mailbox: mailbox, first: completion))
        }
    }

    package consuming func run(_ value: Value) {
        for box in self.boxes {
            let (first, others) = (box.first, box.others)
            guard let mailbox = box.mailbox else {
                first(value)
                for complete in others { complete(value) }
                continue
            }
            mailbox.post {
                first(value)
                for complete in others { complete(value) }
            }
        }
    }
}
