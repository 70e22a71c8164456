/// Tells when an event loop has looked at its sockets, which NIO does when no task is left that is due. A task that is
/// scheduled tells nothing of it: while others take as long, it becomes due before.
///
/// Used on its event loop only.
package protocol SocketLook: AnyObject, Sendable {
    /// The loop ends, and looks no more.
    var hasEnded: Bool { get }

    /// Calls `then` once, when the loop has looked at its sockets after this and done what they brought, or when it ends.
    func next(_ then: @escaping () -> Void)
}
