/// Who is told of an outcome: gathered where it is decided, under a lock perhaps, and told once that is left. Each mailbox
/// is posted to once, in the order in which they came.
///
/// Inlinable, so that each module has it for its own values: every commit passes here more than once, and what is not made
/// for a type asks for that type's description each time. Usable from inline itself, as is what it names: else Swift keeps
/// what is inlinable in it from other modules.
@usableFromInline
package struct Completions<Value: Sendable>: Sendable {
    @usableFromInline
    package typealias Completion = @Sendable (Value) -> Void

    @usableFromInline
    struct Box: Sendable {
        @usableFromInline let mailbox: (any Mailbox)?
        @usableFromInline let first: Completion
        /// Most have none.
        @usableFromInline var others: [Completion] = []

        @inlinable
        init(mailbox: (any Mailbox)?, first: @escaping Completion) {
            self.mailbox = mailbox
            self.first = first
        }
    }

    @usableFromInline var boxes: [Box] = []

    @inlinable
    package init() {}

    /// - Parameter mailbox: nil: told on the thread that calls `run`, before it returns.
    @inlinable
    package mutating func add(_ mailbox: (any Mailbox)?, _ completion: @escaping Completion) {
        // A handful of mailboxes: a linear search beats hashing.
        for index in self.boxes.indices where self.boxes[index].mailbox === mailbox {
            self.boxes[index].others.append(completion)
            return
        }
        self.boxes.append(Box(mailbox: mailbox, first: completion))
    }

    @inlinable
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
