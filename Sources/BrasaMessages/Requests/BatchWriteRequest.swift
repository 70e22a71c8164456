package import BrasaDocuments

package struct BatchWriteRequest: Sendable {
    package var database: DatabaseName
    /// One for each write of the request, in its order: a write that breaks a rule fails alone.
    package var writes: [Result<Write, DocumentError>]

    package init(database: DatabaseName, writes: [Write]) {
        self.database = database
        self.writes = writes.map { .success($0) }
    }

    package init(database: DatabaseName, results: [Result<Write, DocumentError>]) {
        self.database = database
        self.writes = results
    }
}
