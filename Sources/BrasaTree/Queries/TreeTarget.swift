/// What is read or listened to: a place and a question. Equal ones are one listen, and are told the same.
package struct TreeTarget: Hashable, Sendable {
    package let path: TreePath
    /// Nil for everything, priority included. A query that only orders is one of everything.
    package let query: TreeQuery?

    package init(_ path: TreePath, _ query: TreeQuery? = nil) {
        self.path = path
        self.query = query?.isComplete ?? true ? nil : query
    }
}
