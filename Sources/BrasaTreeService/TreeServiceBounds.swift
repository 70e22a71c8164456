import BrasaTree
package import BrasaTreeJudging

/// How large what calls ask for may be.
package struct TreeServiceBounds: Sendable {
    /// Of what is shown, by `TreeNode.estimate`.
    package var readBytesMax = TreeLimits.readBytesMax
    /// At the place that is read, whatever of it is shown.
    package var readNodesMax = TreeLimits.readNodesMax
    package var writeSizes = TreeWriteSizes()

    package init() {}
}
