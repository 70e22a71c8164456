package import BrasaTree

/// What an answer or an event shows. It is a value that shares with the tree, and becomes text only as it is sent.
package enum TreeContent: Sendable {
    /// JSON that is made already.
    case text([UInt8])
    case node(TreeNode, TreeEmitter.Form)
    /// Of an inner node its keys, each `true`; a leaf as it is.
    case shallow(TreeNode)
    /// An object whose keys may be paths.
    case members([TreeMember], TreeEmitter.Form)
}

package struct TreeMember: Sendable {
    package let name: TreeText
    package let node: TreeNode

    package init(_ name: TreeText, _ node: TreeNode) {
        self.name = name
        self.node = node
    }
}
