package import BrasaDocuments
package import BrasaQueries

/// Some of the documents that a query found, each of which is answered by a message of its own.
package final class FoundDocuments: ResponseBatch {
    package let database: DatabaseName
    package let readTime: Timestamp
    package let documents: ArraySlice<FoundDocument>
    package let byteCount: Int

    /// - Parameter byteCount: about how many bytes the messages are together.
    package init(
        _ documents: ArraySlice<FoundDocument>,
        in database: DatabaseName,
        readTime: Timestamp,
        byteCount: Int
    ) {
        self.database = database
        self.readTime = readTime
        self.documents = documents
        self.byteCount = byteCount
    }

    package var count: Int { self.documents.count }

    package func response(at index: Int) -> RunQueryResponse {
        let found = self.documents[self.documents.startIndex + index]
        let name = DocumentName(database: self.database, path: found.path)
        return RunQueryResponse(
            document: name.map { NamedDocument(name: $0, document: found.document) },
            readTime: self.readTime
        )
    }
}
