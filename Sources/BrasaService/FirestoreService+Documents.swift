import BrasaDocuments
import BrasaGRPC
import BrasaPlatform
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore

/// GetDocument, and the three methods that write one document each.
extension FirestoreService {
    func getDocument(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try GetDocumentRequest(decoding: message) }
        guard let request else { return }
        let database = self.store.database(request.name.database)
        switch request.consistency {
        case .strong, .newTransaction:
            self.answer(request, in: database, at: self.store.strongReadTime(), on: call)
        case .readTime(let time):
            self.withReadTime(time, for: call) { time in self.answer(request, in: database, at: time, on: call) }
        case .transaction(let bytes):
            guard let id = self.transactionID(bytes, for: call) else { return }
            let ticket = self.transactions.read(
                transaction: id,
                database: database,
                paths: [request.name.path],
                reply: self.reply { result in
                    guard let read = call.value(result) else { return }
                    self.answer(request, with: read.documents[0], on: call)
                }
            )
            self.cancel(ticket, with: call)
        }
    }

    private func answer(
        _ request: GetDocumentRequest,
        in database: DatabaseHandle,
        at time: Timestamp,
        on call: GRPCServerCall
    ) {
        do throws(StoreError) {
            self.answer(request, with: try self.store.get(request.name.path, in: database, at: time), on: call)
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    private func answer(_ request: GetDocumentRequest, with document: Document?, on call: GRPCServerCall) {
        guard let document else {
            return call.finish(GRPCStatus(.notFound, "Document \"\(request.name.string)\" not found."))
        }
        call.respond(self.message(with: document, named: request.name, mask: request.mask, on: call))
    }

    private func message(
        with document: Document,
        named name: DocumentName,
        mask: [FieldPath]?,
        on call: GRPCServerCall
    ) -> ByteBuffer {
        let document = document.masked(by: mask.map { FieldMask($0) })
        return call.message(size: document.wireSizeEstimate) { buffer in
            NamedDocument(name: name, document: document).encode(into: &buffer)
        }
    }

    func createDocument(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try CreateDocumentRequest(decoding: message) }
        guard let request else { return }
        do throws(DocumentError) {
            let write = try request.write(id: DocumentID.random(from: self.entropy))
            self.write(write, mask: request.mask, byteCount: message.readableBytes, for: call)
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func updateDocument(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try UpdateDocumentRequest(decoding: message) }
        guard let request else { return }
        self.write(request.write, mask: request.mask, byteCount: message.readableBytes, for: call)
    }

    /// Commits one write and answers with the document as it is then.
    private func write(_ write: Write, mask: [FieldPath]?, byteCount: Int, for call: GRPCServerCall) {
        let database = self.store.database(write.name.database)
        // The answer is sent whether there is room or not, so it is found before: for what is there, and what is added.
        guard call.hold(byteCount + self.keptBytes(of: write, in: database)) else { return }
        let ticket = self.transactions.commit(
            database: database,
            transaction: nil,
            writes: [write],
            keepsDocument: true,
            reply: self.reply { result in
                guard let commit = call.value(result) else { return }
                guard let document = commit.document else {
                    return call.finish(.applied("The write was applied and left no document."))
                }
                call.respond(outcome: self.message(with: document, named: write.name, mask: mask, on: call))
            }
        )
        self.settle(ticket, with: call)
    }

    /// About how much of the stored document stays in the answer to a write of it.
    private func keptBytes(of write: Write, in database: DatabaseHandle) -> Int {
        guard case .merge = write.operation else { return 0 }
        return self.store.latest(write.name.path, in: database)?.wireSizeEstimate ?? 0
    }

    func deleteDocument(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try DeleteDocumentRequest(decoding: message) }
        guard let request else { return }
        let ticket = self.transactions.commit(
            database: self.store.database(request.name.database),
            transaction: nil,
            writes: [request.write],
            reply: self.reply { result in
                guard call.value(result) != nil else { return }
                call.respond(outcome: call.message { _ in })
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

    /// Enough for name and times beside the fields in nearly all cases, so that a response is allocated once.
    var wireSizeEstimate: Int { self.fields.bytes.count + 224 }
}

enum DocumentID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 20

    /// Twenty characters, each of 62 with the same probability.
    static func random(from entropy: Entropy) -> UTF8Text {
        var generator = EntropyGenerator(entropy: entropy)
        let characters = (0..<Self.length).map { _ in
            Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)]
        }
        return UTF8Text(String(decoding: characters, as: UTF8.self))
    }

    private struct EntropyGenerator: RandomNumberGenerator {
        let entropy: Entropy

        mutating func next() -> UInt64 { self.entropy.next() }
    }
}
