package struct BatchWriteResponse: Sendable {
    /// One for each write of the request, as has `statuses`; empty where the write failed.
    package var writeResults: [WriteResultMessage]
    package var statuses: [Status]

    package init(writeResults: [WriteResultMessage], statuses: [Status]) {
        self.writeResults = writeResults
        self.statuses = statuses
    }
}
