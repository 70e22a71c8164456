extension TreeNode {
    /// What the pages take in memory that a write to the path makes anew: those on the way, without what is beneath them.
    /// Complexity: O(depth · log n), as the write's.
    package func pathBytes(to path: TreePath) -> Int {
        var bytes = 0
        var node = self
        for key in path.keys {
            guard let root = node.root else { return bytes }
            node = key.text.utf8.withUnsafeBufferPointer { root.child(KeyOrder.Probe($0), passing: &bytes) }
        }
        // A priority is the node's own page's.
        return bytes + (node.root?.ownBytes ?? 0)
    }
}

extension Page {
    fileprivate func child(_ probe: KeyOrder.Probe, passing bytes: inout Int) -> TreeNode {
        var page = self
        while true {
            bytes += page.ownBytes
            let (index, isThere) = page.keys.find(probe)
            switch page.content {
            case .children(let children): return isThere ? children[index] : .absent
            case .pages(let pages): page = pages[isThere ? index : max(index - 1, 0)]
            }
        }
    }
}
