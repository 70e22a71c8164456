internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaStatus
internal import BrasaSync

extension Firestore {
    /// Deletes a collection's documents and all that lies below them. Documents that are written meanwhile may stay.
    ///
    /// Throws the first error; what could be deleted is then deleted all the same. Waits while the network is disabled.
    nonisolated(nonsending) public func recursiveDelete(_ collection: CollectionReference) async throws {
        try throwing { () throws(UsageError) in try self.check(collection.firestore) }
        try await self.delete(below: try throwing { () throws(UsageError) in try collection.resource })
    }

    /// Deletes a document and all that lies below it.
    nonisolated(nonsending) public func recursiveDelete(_ document: DocumentReference) async throws {
        try throwing { () throws(UsageError) in try self.check(document) }
        try await self.delete(below: try throwing { () throws(UsageError) in try document.resource })
        let writer = try throwing { () throws(UsageError) in try self.makeBulkWriter() }
        let receipt = try await writer.deleteDocument(document)
        _ = try await receipt.updateTime()
    }

    private func check(_ firestore: Firestore) throws(UsageError) {
        guard firestore === self else { throw UsageError("The reference is from another Firestore object.") }
    }

    private func delete(below path: ResourcePath) async throws {
        let core = try throwing { () throws(UsageError) in try self.core() }
        let writer = try throwing { () throws(UsageError) in try self.makeBulkWriter() }
        var page = DescendantPage(below: path, database: self.database)
        var failure: (any Error)?
        repeat {
            let paths: [ResourcePath]
            do {
                paths = try await self.paths(of: page, core)
            } catch {
                throw error.error.nsError
            }
            var receipts: [BulkWriteReceipt] = []
            for path in paths {
                receipts.append(try await writer.deleteDocument(DocumentReference(firestore: self, path: path)))
            }
            for receipt in receipts {
                do { _ = try await receipt.updateTime() } catch { failure = failure ?? error }
            }
            page.last = paths.count < DescendantPage.countMax ? nil : paths.last
        } while page.last != nil
        if let failure { throw failure }
    }
}

extension Firestore {
    private func paths(of page: DescendantPage, _ core: ClientCore) async throws(CallFailure) -> [ResourcePath] {
        try await core.gate.passing()
        return try await core.passedCalls.paths(try page.query(), parent: page.parent)
    }
}

/// A part of all documents below a path, in the order of their names.
struct DescendantPage {
    static let countMax = 2_000

    let path: ResourcePath
    let database: DatabaseName
    /// The last one of the page before.
    var last: ResourcePath?

    init(below path: ResourcePath, database: DatabaseName) {
        self.path = path
        self.database = database
    }

    var parent: ResourcePath { self.path.isCollection ? self.path.parent ?? .root : self.path }

    func query() throws(CallFailure) -> StructuredQuery {
        StructuredQuery(
            select: [.documentName],
            from: [StructuredQuery.CollectionSelector(collectionID: "", allDescendants: true)],
            filter: try self.filter(),
            orderBy: [StructuredQuery.Order(field: .documentName, direction: .ascending)],
            startAt: try self.last.map { last throws(CallFailure) in
                StructuredQuery.Cursor(values: [.reference(try self.name(last))], before: false)
            },
            limit: Int32(Self.countMax)
        )
    }

    /// Documents of a collection and below are those between the least name in it and the least in the next one: nothing
    /// lies between an ID and the same with a NUL behind.
    private func filter() throws(CallFailure) -> StructuredQuery.Filter? {
        guard self.path.isCollection else { return nil }
        let least = Array("/__id-9223372036854775808__".utf8)
        let path = self.path.bytes.array
        let first = try self.name(path + least)
        let end = try self.name(path + [0] + least)
        return .composite(
            .and,
            [
                .field(.documentName, .greaterThanOrEqual, .reference(first)),
                .field(.documentName, .lessThan, .reference(end)),
            ]
        )
    }

    private func name(_ bytes: [UInt8]) throws(CallFailure) -> DocumentName {
        let path: ResourcePath
        do {
            path = try ResourcePath(parsing: bytes)
        } catch {
            throw CallFailure(SyncError(.invalidArgument, error.message))
        }
        return try self.name(path)
    }

    private func name(_ path: ResourcePath) throws(CallFailure) -> DocumentName {
        guard let name = DocumentName(database: self.database, path: path) else {
            throw CallFailure(SyncError(.invalidArgument, "'\(path)' is no document."))
        }
        return name
    }
}
