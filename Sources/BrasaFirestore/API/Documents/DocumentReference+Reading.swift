internal import BrasaDocuments
internal import BrasaSync
internal import Foundation

extension DocumentReference {
    /// Reads the document from the server, or from the cache when the server cannot be reached.
    public func getDocument(
        source: FirestoreSource = .default,
        completion: @escaping (DocumentSnapshot?, (any Error)?) -> Void
    ) {
        let core = trapping { () throws(UsageError) in try self.firestore.core() }
        let path: ResourcePath
        do throws(UsageError) {
            path = try self.resource
        } catch {
            return core.tell { completion(nil, error.nsError) }
        }
        let traced = core.tracedRead(.batchGetDocuments, source)
        core.run { client in
            _ = traced.asking {
                client.getDocument(path, source: ReadSource(source)) { result in
                    core.tell {
                        switch result {
                        case .success(let read): completion(self.snapshot(read), nil)
                        case .failure(let error): completion(nil, error.nsError)
                        }
                    }
                }
            }
        }
    }

    nonisolated(nonsending) public func getDocument(
        source: FirestoreSource = .default
    ) async throws -> DocumentSnapshot {
        let core = try throwing { () throws(UsageError) in try self.firestore.core() }
        let path = try throwing { () throws(UsageError) in try self.resource }
        let traced = core.tracedRead(.batchGetDocuments, source)
        let read = try await core.wait { client, done in
            let token = traced.asking { client.getDocument(path, source: ReadSource(source), completion: done) }
            return { client.cancelRead(token) }
        }
        return self.snapshot(read)
    }

    private func snapshot(_ read: DocumentRead) -> DocumentSnapshot {
        let isFound = read.document?.isFound ?? false
        return DocumentSnapshot(
            reference: self,
            fields: isFound ? read.document?.fields : nil,
            metadata: SnapshotMetadata(hasPendingWrites: read.hasPendingWrites, isFromCache: read.isFromCache),
            times: SnapshotTimes(read.document, readTime: read.readTime)
        )
    }
}

extension ReadSource {
    init(_ source: FirestoreSource) {
        switch source {
        case .default: self = .default
        case .server: self = .server
        case .cache: self = .cache
        }
    }
}

extension DocumentReference {
    /// Reads the document as a value of a `Decodable` type. One that does not exist is null, which only an optional can
    /// be.
    public func getDocument<T: Decodable>(
        as type: T.Type,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = .init(),
        source: FirestoreSource = .default,
        completion: @escaping (Result<T, any Error>) -> Void
    ) {
        self.getDocument(source: source) { snapshot, error in
            guard let snapshot else {
                completion(.failure(error ?? NSError(.unknown, "There is neither a document nor an error.")))
                return
            }
            completion(Result { try snapshot.data(as: type, with: serverTimestampBehavior, decoder: decoder) })
        }
    }

    nonisolated(nonsending) public func getDocument<T: Decodable>(
        as type: T.Type,
        with serverTimestampBehavior: ServerTimestampBehavior = .none,
        decoder: Firestore.Decoder = .init(),
        source: FirestoreSource = .default
    ) async throws -> T {
        let snapshot = try await self.getDocument(source: source)
        return try snapshot.data(as: type, with: serverTimestampBehavior, decoder: decoder)
    }
}
