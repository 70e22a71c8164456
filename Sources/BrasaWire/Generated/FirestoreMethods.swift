// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC

/// Every method of `google.firestore.v1.Firestore`.
package enum FirestoreMethods {
    package static let service = "google.firestore.v1.Firestore"

    package static let getDocument = GRPCMethodDescriptor(
        service: Self.service,
        method: "GetDocument",
        kind: .unary
    )
    package static let listDocuments = GRPCMethodDescriptor(
        service: Self.service,
        method: "ListDocuments",
        kind: .unary
    )
    package static let updateDocument = GRPCMethodDescriptor(
        service: Self.service,
        method: "UpdateDocument",
        kind: .unary
    )
    package static let deleteDocument = GRPCMethodDescriptor(
        service: Self.service,
        method: "DeleteDocument",
        kind: .unary
    )
    package static let batchGetDocuments = GRPCMethodDescriptor(
        service: Self.service,
        method: "BatchGetDocuments",
        kind: .serverStreaming
    )
    package static let beginTransaction = GRPCMethodDescriptor(
        service: Self.service,
        method: "BeginTransaction",
        kind: .unary
    )
    package static let commit = GRPCMethodDescriptor(
        service: Self.service,
        method: "Commit",
        kind: .unary
    )
    package static let rollback = GRPCMethodDescriptor(
        service: Self.service,
        method: "Rollback",
        kind: .unary
    )
    package static let runQuery = GRPCMethodDescriptor(
        service: Self.service,
        method: "RunQuery",
        kind: .serverStreaming
    )
    package static let executePipeline = GRPCMethodDescriptor(
        service: Self.service,
        method: "ExecutePipeline",
        kind: .serverStreaming
    )
    package static let runAggregationQuery = GRPCMethodDescriptor(
        service: Self.service,
        method: "RunAggregationQuery",
        kind: .serverStreaming
    )
    package static let partitionQuery = GRPCMethodDescriptor(
        service: Self.service,
        method: "PartitionQuery",
        kind: .unary
    )
    package static let write = GRPCMethodDescriptor(
        service: Self.service,
        method: "Write",
        kind: .bidirectional
    )
    package static let listen = GRPCMethodDescriptor(
        service: Self.service,
        method: "Listen",
        kind: .bidirectional
    )
    package static let listCollectionIds = GRPCMethodDescriptor(
        service: Self.service,
        method: "ListCollectionIds",
        kind: .unary
    )
    package static let batchWrite = GRPCMethodDescriptor(
        service: Self.service,
        method: "BatchWrite",
        kind: .unary
    )
    package static let createDocument = GRPCMethodDescriptor(
        service: Self.service,
        method: "CreateDocument",
        kind: .unary
    )

    package static let all: [GRPCMethodDescriptor] = [
        getDocument,
        listDocuments,
        updateDocument,
        deleteDocument,
        batchGetDocuments,
        beginTransaction,
        commit,
        rollback,
        runQuery,
        executePipeline,
        runAggregationQuery,
        partitionQuery,
        write,
        listen,
        listCollectionIds,
        batchWrite,
        createDocument,
    ]
}
