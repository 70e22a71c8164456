import BrasaDocuments
package import BrasaMessages
import BrasaStore
import BrasaTransactions

/// BatchGetDocuments: one answer for each distinct name, in the request's order, all from one snapshot.
extension FirestoreService {
    package func batchGetDocuments(
        _ request: BatchGetDocumentsRequest,
        for call: Call<BatchGetDocumentsResponse>
    ) -> CallObserver? {
        guard self.admits(call, to: .read, request.database) else { return nil }
        let stream = ResponseStream(call, on: self.eventLoop)
        let database = self.database(request.database)
        switch request.consistency {
        case .strong:
            self.batchGet(request, in: database, at: nil, on: call, stream)
        case .readTime(let time):
            self.batchGet(request, in: database, at: time, on: call, stream)
        case .transaction(let bytes):
            guard let id = self.transactionID(bytes, for: call) else { return nil }
            self.batchGet(request, in: database, transaction: id, on: call, stream)
        case .newTransaction(let options):
            self.begin(options, unspecified: .readOnly(readTime: nil), in: database, for: call) { id in
                call.send(BatchGetDocumentsResponse(result: nil, readTime: nil, transaction: id.bytes))
                self.batchGet(request, in: database, transaction: id, on: call, stream)
            }
        }
        return call.isFinished ? nil : stream
    }

    private func batchGet(
        _ request: BatchGetDocumentsRequest,
        in database: DatabaseHandle,
        at time: ReadTime?,
        on call: Call<BatchGetDocumentsResponse>,
        _ stream: ResponseStream<BatchGetDocumentsResponse>
    ) {
        self.withReadTime(time, in: database, for: call) { (time) throws(StoreError) in
            // Held until the last answer is made, since a slow client may take longer than history lasts.
            let pin = try self.store.pin(at: time, in: database)
            let names = request.documents.distinct
            let mask = request.mask.map { FieldMask($0) }
            var index = 0
            stream.run {
                guard index < names.count else { return .end }
                defer { index += 1 }
                do throws(StoreError) {
                    let document = try self.store.get(names[index].path, in: database, at: pin.time)
                    return .response(.init(names[index], document, mask: mask, readTime: pin.time))
                } catch {
                    return .failure(Status(error))
                }
            }
        }
    }

    private func batchGet(
        _ request: BatchGetDocumentsRequest,
        in database: DatabaseHandle,
        transaction id: TransactionID,
        on call: Call<BatchGetDocumentsResponse>,
        _ stream: ResponseStream<BatchGetDocumentsResponse>
    ) {
        let names = request.documents.distinct
        let ticket = self.transactions.read(
            transaction: id,
            database: database,
            paths: names.map(\.path),
            reply: self.reply { result in
                guard let read = call.value(result) else { return }
                let mask = request.mask.map { FieldMask($0) }
                var index = 0
                stream.run {
                    guard index < names.count else { return .end }
                    defer { index += 1 }
                    return .response(
                        .init(names[index], read.documents[index], mask: mask, readTime: read.readTime)
                    )
                }
            }
        )
        self.cancel(ticket, with: call)
    }
}

extension BatchGetDocumentsResponse {
    fileprivate init(_ name: DocumentName, _ document: Document?, mask: FieldMask?, readTime: Timestamp) {
        let document = document?.masked(by: mask)
        self.init(
            result: document.map { .found(NamedDocument(name: name, document: $0)) } ?? .missing(name),
            readTime: readTime
        )
    }
}

extension [DocumentName] {
    /// Each name once, where it came first.
    fileprivate var distinct: [DocumentName] {
        guard self.count > 1 else { return self }
        var seen: Set<ResourcePath> = []
        return self.filter { seen.insert($0.path).inserted }
    }
}
