package import BrasaDocuments

extension Store {
    /// The index if it is complete, for every time that can be read. Counts as a use of it.
    package func readyIndex(_ definition: IndexDefinition, in database: DatabaseHandle) -> Index? {
        nil
    }

    /// Asks for an index. `indexStep` builds it, unless there is no room for it.
    package func requestIndex(_ definition: IndexDefinition, in database: DatabaseHandle) {
    }

    /// One bounded step of building and dropping indexes; whether there is more to do. A background step: called by one
    /// thread, at once when `onIndexRequested` was called and now and then besides.
    package func indexStep() -> Bool {
        false
    }

    /// All indexes, those that are being built or were given up included.
    package func indexes() -> [IndexDescription] {
        []
    }

    /// At most `count` names, ascending, that part the documents of a collection group into runs of about the same length.
    package func partitionPoints(
        collectionID: UTF8Text,
        count: Int,
        in database: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> [ResourcePath] {
        []
    }
}
