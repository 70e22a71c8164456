package import BrasaTree

/// A write that the server has not answered yet.
package struct PendingWrite: Sendable {
    /// Ascending in the order of writes.
    package let id: Int
    /// As it is sent: what the server works out is still to be worked out.
    package let write: TreeWrite
    /// What it is expected to do. It is not worked out again when the server's data changes: a push that brings this very
    /// write's increment may come before its acknowledgement, and would count twice.
    package let change: TreeChange
    /// Whether listeners see it before the server has answered.
    package let isShown: Bool

    package init(id: Int, write: TreeWrite, change: TreeChange, isShown: Bool) {
        (self.id, self.write, self.change, self.isShown) = (id, write, change, isShown)
    }
}
