import BrasaDocuments
package import BrasaMessages
import BrasaPlatform
import BrasaRules
import BrasaStatus
import BrasaStore
import BrasaTransactions

/// GetDocument, and the three methods that write one document each.
extension FirestoreService {
    package func getDocument(_ request: GetDocumentRequest, for call: Call<NamedDocument>) {
        var judge: CallJudge?
        guard self.admits(call, to: .read, request.name.database, &judge) else { return }
        let read = judge.map { JudgedRead(judge: $0, demand: .documents([request.name.path])) }
        let database = self.database(request.name.database)
        switch request.consistency {
        case .strong, .newTransaction:
            self.answer(request, read, in: database, at: self.store.strongReadTime(), on: call)
        case .readTime(let time):
            self.withReadTime(time, in: database, for: call) { time in
                // The past shows nothing that is not allowed any more.
                guard self.allows(read, in: database, at: nil, for: call) else { return }
                self.answer(request, read, in: database, at: time, on: call)
            }
        case .transaction(let bytes):
            guard let id = self.transactionID(bytes, for: call),
                self.allows(read, in: database, at: nil, of: id, for: call)
            else { return }
            let ticket = self.transactions.read(
                transaction: id,
                database: database,
                paths: [request.name.path],
                reply: self.reply { result in
                    guard let found = call.value(result),
                        self.allows(read, in: database, at: found.readTime, of: id, for: call)
                    else { return }
                    self.answer(request, with: found.documents[0], on: call)
                }
            )
            self.cancel(ticket, with: call)
        }
    }

    private func answer(
        _ request: GetDocumentRequest,
        _ read: JudgedRead?,
        in database: DatabaseHandle,
        at time: Timestamp,
        on call: Call<NamedDocument>
    ) {
        // Before anything is said of whether it is there.
        guard self.allows(read, in: database, at: time, for: call) else { return }
        do throws(StoreError) {
            self.answer(request, with: try self.store.get(request.name.path, in: database, at: time), on: call)
        } catch {
            call.finish(Status(error))
        }
    }

    private func answer(_ request: GetDocumentRequest, with document: Document?, on call: Call<NamedDocument>) {
        guard let document else {
            return call.finish(Status(.notFound, "Document \"\(request.name.string)\" not found."))
        }
        call.respond(Self.answer(document, named: request.name, mask: request.mask))
    }

    private static func answer(_ document: Document, named name: DocumentName, mask: [FieldPath]?) -> NamedDocument {
        NamedDocument(name: name, document: document.masked(by: mask.map { FieldMask($0) }))
    }

    package func createDocument(_ request: CreateDocumentRequest, for call: Call<NamedDocument>) {
        var judge: CallJudge?
        guard self.admits(call, to: .write, request.parent.database, &judge) else { return }
        do throws(DocumentError) {
            let write = try request.write(id: RandomID.make(from: self.entropy))
            self.write(write, judge, mask: request.mask, for: call)
        } catch {
            call.finish(Status(error))
        }
    }

    package func updateDocument(_ request: UpdateDocumentRequest, for call: Call<NamedDocument>) {
        var judge: CallJudge?
        guard self.admits(call, to: .write, request.write.name.database, &judge) else { return }
        self.write(request.write, judge, mask: request.mask, for: call)
    }

    /// Commits one write and answers with the document as it is then.
    private func write(_ write: Write, _ judge: CallJudge?, mask: [FieldPath]?, for call: Call<NamedDocument>) {
        let database = self.database(write.name.database)
        // The answer is sent whether there is room or not, so it is found before: for what is there, and what is added.
        guard call.hold(call.requestBytes + self.keptBytes(of: write, in: database)) else { return }
        if let judge {
            let order = JudgedCommit.Order(database: database, writes: [write], keepsDocument: true)
            return self.commit(order, by: judge, for: call) {
                Self.answer($0.document, named: write.name, mask: mask, on: call)
            }
        }
        let ticket = self.transactions.commit(
            database: database,
            transaction: nil,
            writes: [write],
            keepsDocument: true,
            reply: self.reply { result in
                guard let commit = call.value(result) else { return }
                Self.answer(commit.document, named: write.name, mask: mask, on: call)
            }
        )
        self.settle(ticket, with: call)
    }

    private static func answer(
        _ document: Document?,
        named name: DocumentName,
        mask: [FieldPath]?,
        on call: Call<NamedDocument>
    ) {
        guard let document else {
            return call.finish(.applied("The write was applied and left no document."))
        }
        call.respond(outcome: Self.answer(document, named: name, mask: mask))
    }

    /// About how much of the stored document stays in the answer to a write of it.
    private func keptBytes(of write: Write, in database: DatabaseHandle) -> Int {
        guard case .merge = write.operation else { return 0 }
        return self.store.latest(write.name.path, in: database)?.wireSizeEstimate ?? 0
    }

    package func deleteDocument(_ request: DeleteDocumentRequest, for call: Call<EmptyResponse>) {
        var judge: CallJudge?
        guard self.admits(call, to: .write, request.name.database, &judge) else { return }
        let database = self.database(request.name.database)
        if let judge {
            let order = JudgedCommit.Order(database: database, writes: [request.write])
            return self.commit(order, by: judge, for: call) { _ in call.respond(outcome: EmptyResponse()) }
        }
        let ticket = self.transactions.commit(
            database: database,
            transaction: nil,
            writes: [request.write],
            reply: self.reply { result in
                guard call.value(result) != nil else { return }
                call.respond(outcome: EmptyResponse())
            }
        )
        self.settle(ticket, with: call)
    }
}

extension Document {
    func masked(by mask: FieldMask?) -> Document {
        guard let mask else { return self }
        return Document(
            fields: self.fields.projected(to: mask),
            createTime: self.createTime,
            updateTime: self.updateTime
        )
    }

    /// About what it takes in an answer, name and times beside the fields included.
    var wireSizeEstimate: Int { self.fields.bytes.count + 224 }
}

extension RandomID {
    static func make(from entropy: Entropy) -> UTF8Text {
        var generator = EntropyGenerator(entropy: entropy)
        return self.make(using: &generator)
    }

    private struct EntropyGenerator: RandomNumberGenerator {
        let entropy: Entropy

        mutating func next() -> UInt64 { self.entropy.next() }
    }
}
