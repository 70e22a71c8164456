import BrasaDocuments
import BrasaIdentity
package import BrasaMessages
import BrasaQueries
package import BrasaStore

/// Answers the methods of `brasa.admin.v1.Admin`, on any event loop.
package struct AdminService: Sendable {
    private let store: Store

    package init(store: Store) {
        self.store = store
    }

    package func listIndexes(_ request: ListIndexesRequest, for call: Call<ListIndexesResponse>) {
        guard call.caller.mayInspect else { return call.finish(.permissionDenied) }
        call.respond(ListIndexesResponse(indexes: self.store.indexes().map(IndexMessage.init)))
    }
}

extension IndexMessage {
    fileprivate init(_ index: IndexDescription) {
        let state: State =
            switch index.state {
            case .building: .building
            case .ready: .ready
            case .doesNotFit: .doesNotFit
            case .abandoned: .abandoned
            }
        self.init(
            database: index.database,
            collectionID: index.definition.collectionID,
            scope: index.definition.scope == .collection ? .collection : .collectionGroup,
            properties: UTF8Text(index.definition.properties),
            state: state,
            entries: Int64(index.entries),
            bytes: Int64(index.bytes),
            uses: Int64(index.uses),
            createTime: index.created,
            lastUseTime: index.lastUsed
        )
    }
}
