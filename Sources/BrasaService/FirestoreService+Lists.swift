import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOCore

/// ListDocuments and ListCollectionIds.
extension FirestoreService {
    private static let pageSizeDefault = 300
    /// Some clients ask for as many as fit and then for no second page.
    private static let collectionIDsMax = 1 << 16
    /// Past this a page ends early.
    private static let collectionIDBytesMax = 3 << 20

    func listDocuments(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try ListDocumentsRequest(decoding: message) }
        guard let request else { return }
        do throws(GRPCStatus) {
            let listing = try DocumentListing(request, pageSizeDefault: Self.pageSizeDefault)
            try self.run(listing, request.consistency, on: call)
        } catch {
            call.finish(error)
        }
    }

    private func run(
        _ listing: DocumentListing,
        _ consistency: ReadConsistency,
        on call: GRPCServerCall
    ) throws(GRPCStatus) {
        let database = self.store.database(listing.database)
        switch consistency {
        case .strong, .newTransaction:
            self.list(listing, in: database, at: nil, on: call)
        case .readTime(let time):
            self.list(listing, in: database, at: time, on: call)
        case .transaction(let bytes):
            guard let id = TransactionID(bytes: bytes) else { throw GRPCStatus(TransactionError.invalidTransaction) }
            let ticket = self.transactions.scan(
                transaction: id,
                database: database,
                range: QueryRange(names: listing.range),
                reply: self.reply { result in
                    guard let grant = call.value(result) else { return }
                    self.finish(call) { () throws(StoreError) in
                        try listing.page(of: self.store, database, at: grant.readTime)
                    }
                }
            )
            self.cancel(ticket, with: call)
        }
    }

    private func list(
        _ listing: DocumentListing,
        in database: DatabaseHandle,
        at time: ReadTime?,
        on call: GRPCServerCall
    ) {
        self.withReadTime(time, for: call) { (time) throws(StoreError) in
            self.finish(call) { () throws(StoreError) in try listing.page(of: self.store, database, at: time) }
        }
    }

    private func finish(_ call: GRPCServerCall, with page: () throws(StoreError) -> ListDocumentsResponse) {
        do throws(StoreError) {
            let response = try page()
            call.respond(call.message { response.encode(into: &$0) })
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func listCollectionIds(_ call: GRPCServerCall, _ message: ByteBuffer) {
        let request = call.decode { () throws(WireError) in try ListCollectionIdsRequest(decoding: message) }
        guard let request else { return }
        guard request.pageSize >= 0 else { return call.finish(.negativePageSize) }
        var fingerprint = Fingerprint()
        fingerprint.add(request.parent.bytes)
        var after: UTF8Text?
        if !request.pageToken.bytes.isEmpty {
            let token = PageToken(parsing: request.pageToken.bytes, for: fingerprint.value)
            after = token.flatMap { UTF8Text(validating: $0.last) }
            guard after != nil else { return call.finish(.invalidPageToken) }
        }
        let limit = request.pageSize == 0 ? Self.pageSizeDefault : min(Int(request.pageSize), Self.collectionIDsMax)
        let database = self.store.database(request.parent.database)
        self.withReadTime(request.readTime, for: call) { [after, fingerprint] (time) throws(StoreError) in
            var ids = try self.store.listCollectionIDs(
                under: request.parent.path,
                in: database,
                at: time,
                after: after,
                limit: limit + 1
            )
            let count = Self.pageCount(of: ids, limit: limit)
            var response = ListCollectionIdsResponse(collectionIDs: ids)
            if count < ids.count {
                ids.removeSubrange(count...)
                let token = PageToken(fingerprint: fingerprint.value, last: ids[count - 1].bytes)
                response = ListCollectionIdsResponse(
                    collectionIDs: ids,
                    nextPageToken: UTF8Text(String(decoding: token.text, as: UTF8.self))
                )
            }
            call.respond(call.message { response.encode(into: &$0) })
        }
    }

    /// How many of the ids make the page: at least one, if there is one.
    private static func pageCount(of ids: [UTF8Text], limit: Int) -> Int {
        var bytes = 0
        for (index, id) in ids.prefix(limit).enumerated() {
            bytes += id.bytes.count + 3
            if bytes > Self.collectionIDBytesMax { return max(index, 1) }
        }
        return min(ids.count, limit)
    }
}
