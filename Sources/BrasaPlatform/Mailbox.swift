/// A place where work is done later, in the order it was posted, on one thread of the receiver's choice. The network's
/// event loops are mailboxes, and so is the simulation's scheduler.
@usableFromInline
package protocol Mailbox: AnyObject, Sendable {
    func post(_ work: @escaping @Sendable () -> Void)

    /// The next turn of work that takes more than one: when others have had theirs, and the thread has looked at whatever else
    /// it serves. To be called on that thread; a thread that ends before takes none.
    func postTurn(_ turn: @escaping @Sendable () -> Void)
}

extension Mailbox {
    /// For those who serve nothing else.
    package func postTurn(_ turn: @escaping @Sendable () -> Void) { self.post(turn) }
}
