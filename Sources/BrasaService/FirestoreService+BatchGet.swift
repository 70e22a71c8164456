import BrasaDocuments
package import BrasaMessages
import BrasaRules
import BrasaStore
import BrasaTransactions

private typealias BatchGetSource = () -> ResponseStream<BatchGetDocumentsResponse>.Part

/// BatchGetDocuments: one answer for each distinct name, in the request's order, all from one snapshot.
extension FirestoreService {
    package func batchGetDocuments(
        _ request: BatchGetDocumentsRequest,
        for call: Call<BatchGetDocumentsResponse>
    ) -> CallObserver? {
        var judge: CallJudge?
        guard self.admits(call, to: .read, request.database, &judge) else { return nil }
        let read = judge.map {
            JudgedRead(judge: $0, demand: .documents(request.documents.distinct.map(\.path)))
        }
        let stream = ResponseStream(call, in: self.turns)
        let database = self.database(request.database)
        switch request.consistency {
        case .strong:
            self.batchGet(request, read, in: database, at: nil, on: call, stream)
        case .readTime(let time):
            self.batchGet(request, read, in: database, at: time, on: call, stream)
        case .transaction(let bytes):
            guard let id = self.transactionID(bytes, for: call) else { return nil }
            self.batchGet(request, read, in: database, transaction: id, on: call, stream)
        case .newTransaction(let options):
            self.begin(options, unspecified: .readOnly(readTime: nil), in: database, for: call) { id in
                call.send(BatchGetDocumentsResponse(result: nil, readTime: nil, transaction: id.bytes))
                self.batchGet(request, read, in: database, transaction: id, on: call, stream)
            }
        }
        return call.isFinished ? nil : stream
    }

    private func batchGet(
        _ request: BatchGetDocumentsRequest,
        _ read: JudgedRead?,
        in database: DatabaseHandle,
        at time: ReadTime?,
        on call: Call<BatchGetDocumentsResponse>,
        _ stream: ResponseStream<BatchGetDocumentsResponse>
    ) {
        let isPast = time != nil
        self.withReadTime(time, in: database, for: call) { (time) throws(StoreError) in
            // Held until the last answer is made, since a slow client may take longer than history lasts.
            let pin = try self.store.pin(at: time, in: database)
            let names = request.documents.distinct
            let mask = request.mask.map { FieldMask($0) }
            var index = 0
            let source: BatchGetSource = {
                guard index < names.count else { return .end }
                defer { index += 1 }
                do throws(StoreError) {
                    let document = try self.store.get(names[index].path, in: database, at: pin.time)
                    return .response(.init(names[index], document, mask: mask, readTime: pin.time))
                } catch {
                    return .failure(Status(error))
                }
            }
            guard let read else { return stream.run(source) }
            // The past shows nothing that is not allowed any more.
            let times = isPast ? [pin.time, self.store.strongReadTime()] : [pin.time]
            self.judge(read, in: database, at: times, for: call) { outcome in
                if case .allowed = outcome { stream.run(source) }
            }
        }
    }

    private func batchGet(
        _ request: BatchGetDocumentsRequest,
        _ read: JudgedRead?,
        in database: DatabaseHandle,
        transaction id: TransactionID,
        on call: Call<BatchGetDocumentsResponse>,
        _ stream: ResponseStream<BatchGetDocumentsResponse>
    ) {
        guard let read else { return self.lockAndGet(request, nil, in: database, transaction: id, on: call, stream) }
        // Before there are locks on what the caller may not see.
        self.judge(read, in: database, at: [self.store.strongReadTime()], for: call) { outcome in
            switch outcome {
            case .allowed: self.lockAndGet(request, read, in: database, transaction: id, on: call, stream)
            case .denied: self.abandon(id, in: database)
            case .unwanted: break
            }
        }
    }

    private func lockAndGet(
        _ request: BatchGetDocumentsRequest,
        _ read: JudgedRead?,
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
                guard let found = call.value(result) else { return }
                let mask = request.mask.map { FieldMask($0) }
                var index = 0
                let source: BatchGetSource = {
                    guard index < names.count else { return .end }
                    defer { index += 1 }
                    return .response(
                        .init(names[index], found.documents[index], mask: mask, readTime: found.readTime)
                    )
                }
                guard let read else { return stream.run(source) }
                self.judge(read, in: database, at: [found.readTime], for: call) { outcome in
                    guard case .allowed = outcome else { return self.abandon(id, in: database) }
                    stream.run(source)
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
