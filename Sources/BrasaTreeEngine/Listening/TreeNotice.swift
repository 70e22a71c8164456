package import BrasaTree

/// A listener, named by whoever drives the database.
package struct TreeListenerID: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }
}

package struct TreeSessionID: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }
}

/// How a listen begins.
package struct TreeListenStart: Sendable {
    package enum Content: Sendable {
        /// The listener has it already.
        case same
        case whole(TreeNode)
        case merges([RangeMerge])
    }

    package let content: Content
    /// Whether there is an index for the query; it is answered all the same.
    package let isIndexed: Bool

    package init(content: Content, isIndexed: Bool) {
        (self.content, self.isIndexed) = (content, isIndexed)
    }
}

/// What one commit is for the listeners of one target: one event, never two.
package struct TreeNotice: Sendable {
    package enum Event: Sendable {
        /// A node, or a priority as the leaf that it would be, is now this.
        case value(TreeLocation, TreeNode)
        /// Of the node at a path, the places beneath it are now these.
        case merge(TreePath, [(location: TreeLocation, node: TreeNode)])
    }

    package let version: Int64
    package let target: TreeTarget
    /// Paths are from the root of the tree, those of a merge from its node.
    package let event: Event
    package let listeners: Set<TreeListenerID>
}
