import BrasaFirestore
import Foundation

/// Does what calls ask for, by the library's public functions alone.
final class WorkerClient: Sendable {
    let firestore: Firestore

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    func answer(_ call: WorkerCall) async -> WorkerAnswer {
        do {
            switch call {
            case .write(let operations): try await self.write(operations)
            case .network(true): try await self.firestore.enableNetwork()
            case .network(false): try await self.firestore.disableNetwork()
            case .listen(let collections):
                for collection in collections {
                    self.firestore.collection(collection).addSnapshotListener { _, _ in }
                }
            case .cached(let path): return WorkerAnswer(document: await self.cached(path))
            case .settle(let collections, let fence, let number):
                return try await self.settle(collections, fence, number)
            }
            return WorkerAnswer()
        } catch {
            return WorkerAnswer(error: "\(error)")
        }
    }

    private func write(_ operations: [WorkerCall.Operation]) async throws {
        let batch = self.firestore.batch()
        for operation in operations {
            let document = self.firestore.document(operation.path)
            let fields = (operation.fields ?? [:]).mapValues(\.value)
            switch operation.kind {
            case .set: batch.setData(fields, forDocument: document)
            case .merge: batch.setData(fields, forDocument: document, merge: true)
            case .delete: batch.deleteDocument(document)
            case .union:
                let added: [String: Any] = ["list": FieldValue.arrayUnion([operation.number ?? 0])]
                batch.setData(added, forDocument: document, merge: true)
            case .increment:
                let added: [String: Any] = ["count": FieldValue.increment(Int64(operation.number ?? 0))]
                batch.setData(added, forDocument: document, merge: true)
            }
        }
        // In the log at once: this process may be killed before it is asked.
        batch.commit { error in
            if let error { FileHandle.standardError.write(Data("rejected: \(error)\n".utf8)) }
        }
        // The engine does one thing after the other: what it reads now has the batch in it, stored.
        if let path = operations.first?.path { _ = await self.cached(path) }
    }

    /// Nil for a document that is not in the cache.
    private func cached(_ path: String) async -> WorkerAnswer.Fields? {
        let document = try? await self.firestore.document(path).getDocument(source: .cache)
        return document?.data()?.compactMapValues { Content($0) }
    }

    private func settle(_ collections: [String], _ fence: String, _ number: Int) async throws -> WorkerAnswer {
        try await self.firestore.enableNetwork()
        try await self.firestore.waitForPendingWrites()
        var answer = WorkerAnswer(seen: [:], cached: [:])
        for (index, name) in collections.enumerated() {
            let collection = self.firestore.collection(name)
            for try await snapshot in collection.snapshots(includeMetadataChanges: true) {
                guard !snapshot.metadata.isFromCache, !snapshot.metadata.hasPendingWrites else { continue }
                let documents = Self.documents(snapshot)
                if index == 0, documents[fence]?["number"] != .number(number) { continue }
                answer.seen?[name] = documents
                break
            }
        }
        for name in collections {
            let snapshot = try await self.firestore.collection(name).getDocuments(source: .cache)
            answer.cached?[name] = Self.documents(snapshot)
        }
        return answer
    }

    private static func documents(_ snapshot: QuerySnapshot) -> [String: WorkerAnswer.Fields] {
        Dictionary(
            snapshot.documents.map { ($0.documentID, $0.data().compactMapValues { Content($0) }) },
            uniquingKeysWith: { $1 }
        )
    }
}
