import BrasaFirestore
import Foundation

/// Does what calls ask for, by the library's public functions alone.
struct InteropClient: Sendable {
    let firestore: Firestore

    func answer(_ call: InteropCall) async -> InteropAnswer {
        do {
            switch call {
            case .write(let way, let path, let fields):
                try await self.write(way, self.firestore.document(path), fields)
                return InteropAnswer()
            case .update(let path, let fields):
                try await self.firestore.document(path).updateData(self.given(fields))
                return InteropAnswer()
            case .read(let way, let path):
                let data = try await self.read(way, self.firestore.document(path))
                return InteropAnswer(fields: try data?.mapValues { try TaggedValue(read: $0) })
            case .find(let collection, let field, let value):
                let operand = value.given(to: self.firestore)
                let query = self.firestore.collection(collection)
                    .whereField(FieldPath([field]), isEqualTo: operand)
                return InteropAnswer(found: try await query.getDocuments(source: .server).documents.map(\.documentID))
            case .load(let bundle):
                _ = try await self.firestore.loadBundle(Data(bundle.utf8))
                return InteropAnswer()
            case .named(let name):
                let found = try await self.firestore.getQuery(named: name)?.getDocuments(source: .cache)
                return InteropAnswer(found: found?.documents.map(\.documentID))
            }
        } catch {
            return InteropAnswer(error: "\(error)")
        }
    }

    private func given(_ fields: [String: TaggedValue]) -> [String: Any] {
        fields.mapValues { $0.given(to: self.firestore) }
    }

    private func write(
        _ way: InteropCall.WriteWay,
        _ document: DocumentReference,
        _ fields: [String: TaggedValue]
    ) async throws {
        switch way {
        case .set:
            try await document.setData(self.given(fields))
        case .transaction:
            try await self.firestore.runTransaction { transaction in
                transaction.setData(self.given(fields), forDocument: document)
                return
            }
        case .bulk:
            let writer = self.firestore.bulkWriter()
            let receipt = try await writer.setData(self.given(fields), forDocument: document)
            await writer.close()
            try await receipt.updateTime()
        }
    }

    private func read(_ way: InteropCall.ReadWay, _ document: DocumentReference) async throws -> [String: Any]? {
        switch way {
        case .document:
            return try await document.getDocument(source: .server).data()
        case .query:
            let query = document.parent.whereField(FieldPath.documentID(), isEqualTo: document.documentID)
            return try await query.getDocuments(source: .server).documents.first?.data()
        case .transaction:
            return try await self.firestore.runTransaction { try await $0.getDocument(document) }.data()
        case .cache:
            return try await document.getDocument(source: .cache).data()
        }
    }
}
