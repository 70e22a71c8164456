import BrasaDocuments
package import BrasaGRPC
import BrasaQueries
package import BrasaStore
import BrasaWire
import NIOCore

/// Answers the methods of `brasa.admin.v1.Admin`, on any event loop.
package struct AdminService: Sendable {
    private let store: Store

    package init(store: Store) {
        self.store = store
    }

    package func register(in methods: inout GRPCMethodTable) {
        methods.register(
            AdminMethods.listIndexes,
            messageBytesMax: RequestLimits.names,
            .unary { call, _ in self.listIndexes(call) }
        )
    }

    private func listIndexes(_ call: GRPCServerCall) {
        let response = ListIndexesResponse(indexes: self.store.indexes().map(IndexMessage.init))
        call.respond(call.message { response.encode(into: &$0) })
    }
}

extension IndexMessage {
    fileprivate init(_ index: IndexDescription) {
        let state: State =
            switch index.state {
            case .building: .building
            case .ready: .ready
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
