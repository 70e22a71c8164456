import BrasaStore
package import BrasaTree
import BrasaTreeEngine

extension TreeSession {
    /// What a listen makes a loop sort and keep.
    package struct NewIndex {
        /// By how many other orders the node's children are kept already.
        package let others: Int
        package let children: Int
        /// Children that all indexes of the loop keep something of.
        package let kept: Int
    }

    /// Nil where a listen to the target needs no index, or one that is there.
    package func newIndex(for target: TreeTarget) -> NewIndex? {
        let store = self.watcher.store
        let audience = self.watcher.existing(self.tree)?.audience ?? TreeAudience(store.root(of: self.tree).root)
        guard let new = audience.newIndex(for: target) else { return nil }
        return NewIndex(others: new.others, children: new.children, kept: self.watcher.indexEntries)
    }
}
