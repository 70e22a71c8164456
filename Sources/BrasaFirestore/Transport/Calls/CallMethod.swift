internal import BrasaGRPC
internal import BrasaMessages
internal import BrasaWire

/// The methods that the client calls.
package enum CallMethod: Int, CaseIterable, Sendable {
    case commit, batchWrite, beginTransaction, rollback
    case batchGetDocuments, runQuery, runAggregationQuery, listCollectionIds
    case listen, write

    var descriptor: GRPCMethodDescriptor {
        switch self {
        case .commit: FirestoreMethods.commit
        case .batchWrite: FirestoreMethods.batchWrite
        case .beginTransaction: FirestoreMethods.beginTransaction
        case .rollback: FirestoreMethods.rollback
        case .batchGetDocuments: FirestoreMethods.batchGetDocuments
        case .runQuery: FirestoreMethods.runQuery
        case .runAggregationQuery: FirestoreMethods.runAggregationQuery
        case .listCollectionIds: FirestoreMethods.listCollectionIds
        case .listen: FirestoreMethods.listen
        case .write: FirestoreMethods.write
        }
    }

    /// Whether a call that broke off may have changed documents.
    var changesDocuments: Bool {
        switch self {
        case .commit, .batchWrite, .write: true
        case .beginTransaction, .rollback, .batchGetDocuments, .runQuery, .runAggregationQuery, .listCollectionIds,
            .listen:
            false
        }
    }
}
