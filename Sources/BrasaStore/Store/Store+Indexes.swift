import BrasaDocuments
package import BrasaQueries
import Synchronization

extension Store {
    /// The index if it is complete, for every time that can be read.
    package func readyIndex(_ definition: IndexDefinition, in database: DatabaseHandle) -> Index? {
        self.indexRegistry.ready(IndexRegistry.Key(database: database, definition: definition))
    }

    /// A query reads these indexes: counts as a use of each.
    package func markUsed(_ indexes: [Index]) {
        self.indexRegistry.markUsed(indexes)
    }

    /// Asks for an index. `indexStep` builds it, unless there is no room for it.
    package func requestIndex(_ definition: IndexDefinition, in database: DatabaseHandle) {
        guard !self.isMemoryShort else { return }
        self.indexRegistry.request(IndexRegistry.Key(database: database, definition: definition))
    }

    /// One bounded step of building and dropping indexes; whether there is more to do. A background step: called by one
    /// thread, at once when `onIndexRequested` was called and now and then besides.
    package func indexStep() -> Bool { self.indexStep(budget: IndexBuild.budgetMax) }

    func indexStep(budget: Int) -> Bool {
        switch self.indexRegistry.nextWork() {
        case nil: return false
        case .drop(let index):
            // Let go of here and not under the lock: it may be a tree of millions of entries.
            _ = index.database.order.withLock { $0.remove(index.counts) }
            index.counts.letGo()
        // Until there is room again.
        case .build where self.isMemoryShort: return false
        case .build(let index):
            let isUnfinished = index.database.order.withLock { $0.build(index, budget: budget) }
            if !isUnfinished { self.indexRegistry.isBuilt(index) }
        }
        return true
    }

    /// All indexes, those that are being built or were given up included, in the order in which they were asked for.
    package func indexes() -> [IndexDescription] { self.indexRegistry.list() }
}
