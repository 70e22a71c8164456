import BrasaDocuments
package import BrasaMessages
import BrasaQueries
import BrasaRules
import BrasaStore
import BrasaTransactions

/// ListDocuments and ListCollectionIds.
extension FirestoreService {
    private static let pageSizeDefault = 300
    private static let judgedPageSizeDefault = 30
    /// Some clients ask for as many as fit and then for no second page.
    private static let collectionIDsMax = 1 << 16
    /// Past this a page ends early.
    private static let collectionIDBytesMax = 3 << 20

    package func listDocuments(_ request: ListDocumentsRequest, for call: Call<ListDocumentsResponse>) {
        var judge: CallJudge?
        guard self.admits(call, to: .read, request.parent.database, &judge) else { return }
        do throws(Status) {
            // What rules are told of the page's size has to be so.
            let pageSizeDefault = judge == nil ? Self.pageSizeDefault : Self.judgedPageSizeDefault
            let listing = try DocumentListing(request, pageSizeDefault: pageSizeDefault)
            let range: QueryRange =
                switch listing.source {
                case .names(let names): QueryRange(names: names)
                case .query(let query): QueryRange(query)
                }
            let database = self.database(listing.database)
            let read = judge.map { JudgedRead(judge: $0, demand: listing.demand(in: range.names)) }
            self.withAccess(to: range, in: database, request.consistency, for: call, read) {
                (access) throws(StoreError) in try self.list(listing, access, on: call)
            }
        } catch {
            call.finish(error)
        }
    }

    private func list(
        _ listing: DocumentListing,
        _ access: QueryAccess,
        on call: Call<ListDocumentsResponse>
    ) throws(StoreError) {
        var page = ListingPage(listing)
        let answer = { () -> ListDocumentsResponse in
            if let range = page.range { self.narrow(access, to: range) }
            return page.response
        }
        switch listing.source {
        case .names(let names):
            var scan = try self.store.scan(
                names,
                in: access.database,
                at: access.time,
                descending: listing.order.isNameDescending,
                showMissing: listing.showMissing
            )
            SteppedAnswer(call, in: self.turns) { () throws(Status) in
                do throws(StoreError) {
                    guard try page.fill(from: &scan) else { return nil }
                } catch {
                    throw Status(error)
                }
                return answer()
            }.run()
        case .query(let query):
            let run = try self.start(query, access)
            SteppedAnswer(call, in: self.turns) { () throws(Status) in
                var isOpen = true
                for found in try run.next() where isOpen { isOpen = page.add(found.path, found.document) }
                guard run.isAtEnd || !isOpen else { return nil }
                return answer()
            }.run()
        }
    }

    package func listCollectionIds(
        _ request: ListCollectionIdsRequest,
        for call: Call<ListCollectionIdsResponse>
    ) {
        guard self.admitsAdministrator(call, to: .read, request.parent.database, else: .metadata) else { return }
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
        let database = self.database(request.parent.database)
        self.withReadTime(request.readTime, in: database, for: call) { [after, fingerprint] (time) throws(StoreError) in
            var scan = try self.store.collectionIDs(
                under: request.parent.path,
                in: database,
                at: time,
                after: after,
                limit: limit + 1
            )
            SteppedAnswer(call, in: self.turns) { () throws(Status) in
                let found: [UTF8Text]?
                do throws(StoreError) { found = try scan.step() } catch { throw Status(error) }
                guard let ids = found else { return nil }
                return Self.response(ids, limit: limit, fingerprint)
            }.run()
        }
    }

    private static func response(
        _ ids: [UTF8Text],
        limit: Int,
        _ fingerprint: Fingerprint
    ) -> ListCollectionIdsResponse {
        let count = Self.pageCount(of: ids, limit: limit)
        guard count < ids.count else { return ListCollectionIdsResponse(collectionIDs: ids) }
        let token = PageToken(fingerprint: fingerprint.value, last: ids[count - 1].bytes)
        return ListCollectionIdsResponse(
            collectionIDs: Array(ids[..<count]),
            nextPageToken: UTF8Text(String(decoding: token.text, as: UTF8.self))
        )
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
