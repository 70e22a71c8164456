/// A place where work is done later, in the order it was posted, on one thread of the receiver's choice. The network's
/// event loops are mailboxes, and so is the simulation's scheduler.
@usableFromInline
package protocol Mailbox: AnyObject, Sendable {
    func post(_ work: @escaping @Sendable () -> Void)
}
