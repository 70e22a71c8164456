/// What to let the Swift client do, and how hard to press.
package struct ClientPlan: Sendable {
    package enum Work: String, CaseIterable, Sendable {
        /// A document by `getDocument(source: .server)`: BatchGetDocuments by way of the sync engine.
        case get
        /// A document by BatchGetDocuments, past the engine.
        case read
        /// A document out of the cache.
        case cached
        /// 20 documents by `getDocuments(source: .server)`.
        case query
        /// A document written by `setData`, until the server has acknowledged it.
        case set
        /// A document written by Commit, past the engine.
        case commit
        /// A field incremented by `updateData`, until the server has acknowledged it.
        case increment
        /// A document read and written by `runTransaction`.
        case transaction
        /// A document changed by Commit, past the engine, until a listener to all documents has seen it.
        case change
        /// A listener to a document, until the server has answered it. As many go on listening as there are documents.
        case listen
    }

    package var host: String
    package var port: Int
    package var work: Work
    /// Clients, each with an engine and a connection of its own.
    package var clients: Int
    /// Tasks of each client; each does one thing after the other.
    package var tasks: Int
    package var documents: Int
    /// Encoded size of a document's fields, about.
    package var documentBytes: Int
    /// So many in all, each of them measured, instead of for a time: for counts of what a call takes.
    package var calls: Int?
    package var warmUp: Duration
    package var duration: Duration

    package init(
        host: String,
        port: Int,
        work: Work,
        clients: Int,
        tasks: Int,
        documents: Int,
        documentBytes: Int,
        calls: Int? = nil,
        warmUp: Duration,
        duration: Duration
    ) {
        self.host = host
        self.port = port
        self.work = work
        self.clients = clients
        self.tasks = tasks
        self.documents = documents
        self.documentBytes = documentBytes
        self.calls = calls
        self.warmUp = warmUp
        self.duration = duration
    }
}

/// What was measured.
package struct ClientReport: Sendable {
    package var calls: BenchReport
    /// Of this process, while it was measured.
    package var processorTime: Duration

    /// Calls that a core of the client's machine has time for in a second.
    package var callsPerCoreSecond: Double {
        Double(self.calls.calls) / max(self.processorTime / .seconds(1), 1e-9)
    }
}
