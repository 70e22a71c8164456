import BrasaGRPC
import BrasaMessages
package import BrasaService
import BrasaWire
import NIOCore

extension GRPCDoor {
    /// Every method of the protocol: those that are not built yet answer UNIMPLEMENTED like unknown ones do.
    package mutating func add(_ firestore: FirestoreService) {
        self.addReads(of: firestore)
        self.addWrites(of: firestore)
        self.addQueries(of: firestore)
        self.addStreams(of: firestore)
    }

    private mutating func addReads(of firestore: FirestoreService) {
        self.unary(
            FirestoreMethods.getDocument,
            messageBytesMax: RequestLimits.masks,
            decode: { message throws(WireError) in try GetDocumentRequest(decoding: message) },
            { firestore.getDocument($0, for: $1) }
        )
        self.serverStreaming(
            FirestoreMethods.batchGetDocuments,
            decode: { message throws(WireError) in try BatchGetDocumentsRequest(decoding: message) },
            { firestore.batchGetDocuments($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.listDocuments,
            messageBytesMax: RequestLimits.masks,
            decode: { message throws(WireError) in try ListDocumentsRequest(decoding: message) },
            { firestore.listDocuments($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.listCollectionIds,
            messageBytesMax: RequestLimits.names,
            decode: { message throws(WireError) in try ListCollectionIdsRequest(decoding: message) },
            { firestore.listCollectionIds($0, for: $1) }
        )
    }

    private mutating func addWrites(of firestore: FirestoreService) {
        self.unary(
            FirestoreMethods.createDocument,
            decode: { message throws(WireError) in try CreateDocumentRequest(decoding: message) },
            { firestore.createDocument($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.updateDocument,
            decode: { message throws(WireError) in try UpdateDocumentRequest(decoding: message) },
            { firestore.updateDocument($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.deleteDocument,
            messageBytesMax: RequestLimits.names,
            decode: { message throws(WireError) in try DeleteDocumentRequest(decoding: message) },
            { firestore.deleteDocument($0, for: $1) }
        )
        self.addCommits(of: firestore)
    }

    private mutating func addCommits(of firestore: FirestoreService) {
        self.unary(
            FirestoreMethods.beginTransaction,
            messageBytesMax: RequestLimits.names,
            decode: { message throws(WireError) in try BeginTransactionRequest(decoding: message) },
            { firestore.beginTransaction($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.commit,
            decode: { message throws(WireError) in
                try CommitRequest(decoding: message, writesMax: firestore.commitWritesMax)
            },
            refused: { message, caller in
                guard let target = try? CommitTarget(decoding: message) else { return }
                firestore.commitRefused(target, by: caller)
            },
            { firestore.commit($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.rollback,
            messageBytesMax: RequestLimits.names,
            decode: { message throws(WireError) in try RollbackRequest(decoding: message) },
            { firestore.rollback($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.batchWrite,
            decode: { message throws(WireError) in
                try BatchWriteRequest(decoding: message, writesMax: firestore.batchWritesMax)
            },
            { firestore.batchWrite($0, for: $1) }
        )
    }

    private mutating func addQueries(of firestore: FirestoreService) {
        self.serverStreaming(
            FirestoreMethods.runQuery,
            messageBytesMax: RequestLimits.queries,
            .grpcQueries,
            decode: { message throws(WireError) in
                switch firestore.query(in: message, outline: { QueryOutline(ofQuery: $0) }) {
                case .known(let asked): return asked
                case .new(let request):
                    let asked = AskedQuery(try RunQueryRequest(decoding: message))
                    firestore.note(asked, of: request)
                    return asked
                }
            },
            { firestore.runQuery($0, for: $1) }
        )
        self.serverStreaming(
            FirestoreMethods.runAggregationQuery,
            messageBytesMax: RequestLimits.queries,
            decode: { message throws(WireError) in
                switch firestore.aggregation(in: message, outline: { QueryOutline(ofAggregation: $0) }) {
                case .known(let asked): return asked
                case .new(let request):
                    let asked = AskedAggregation(try RunAggregationQueryRequest(decoding: message))
                    firestore.note(asked, of: request)
                    return asked
                }
            },
            { firestore.runAggregationQuery($0, for: $1) }
        )
        self.unary(
            FirestoreMethods.partitionQuery,
            messageBytesMax: RequestLimits.queries,
            decode: { message throws(WireError) in try PartitionQueryRequest(decoding: message) },
            { firestore.partitionQuery($0, for: $1) }
        )
    }

    private mutating func addStreams(of firestore: FirestoreService) {
        self.bidirectional(
            FirestoreMethods.listen,
            messageBytesMax: RequestLimits.targets,
            .grpcListening,
            database: { $0.database },
            decode: { message, database throws(WireError) in
                guard let database else { return try ListenRequest(decoding: message) }
                return try ListenRequest(decoding: message, in: database)
            },
            { firestore.listen(for: $0) }
        )
        self.bidirectional(
            FirestoreMethods.write,
            database: { $0.database },
            decode: { message, database throws(WireError) in
                let writesMax = firestore.commitWritesMax
                guard let database else { return try WriteRequest(decoding: message, writesMax: writesMax) }
                return try WriteRequest(decoding: message, in: database, writesMax: writesMax)
            },
            { firestore.write(for: $0) }
        )
    }
}
