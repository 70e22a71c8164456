package import BrasaClientNetwork
package import BrasaGRPC

/// What to measure, and how hard to press.
package struct BenchPlan: Sendable {
    package enum Work: Sendable {
        /// GetDocument of one of the documents that were written before the measurement.
        case get
        /// Commit of one document, by set.
        case commit
        /// Gets, with this share of commits, 0...1.
        case mixed(commits: Double)
        /// A query of documents that were written before the measurement, and of its index.
        case query(Query)
        /// One message to any unary method: for peers that speak gRPC.
        case raw(GRPCMethodDescriptor, message: [UInt8])
    }

    /// Documents come in kinds of `matches` each, numbered within their kind and scattered over names and memory.
    package struct Query: Sendable {
        package enum Shape: Sendable {
            /// One kind, from a number on, in the order of numbers, 20 documents.
            case range
            /// The same of a collection group.
            case group
            /// Count of one kind.
            case count
        }

        package var shape: Shape
        package var matches: Int
        /// Only kinds among the first so many documents are asked for.
        package var queried: Int

        package init(shape: Shape, matches: Int, queried: Int) {
            self.shape = shape
            self.matches = matches
            self.queried = queried
        }
    }

    package enum Pace: Sendable {
        /// Each stream sends its next call when the last one is answered.
        case closed
        /// Calls start at fixed times, so many a second in all, whether or not answers have come. Latency counts from the
        /// time at which a call should have started, so that a stall shows in every call that it delayed.
        case open(callsPerSecond: Double)
        /// As closed, but so many calls in all, and every one is measured: for counts of what a call takes.
        case counted(calls: Int)
    }

    package var host: String
    package var port: Int
    package var work: Work
    package var pace: Pace
    package var connections: Int
    /// Calls in flight on each connection, at most.
    package var streams: Int
    package var threads: Int
    package var warmUp: Duration
    package var duration: Duration
    /// Documents that gets choose from and commits write to.
    package var documents: Int
    /// Databases that gets and commits spread over, each with as many documents in a row; queries have one.
    package var databases: Int
    /// Encoded size of a document's fields, about.
    package var documentBytes: Int
    /// Further fields of a document, of all common types.
    package var fields: Int
    /// Whether an equal plan has written the documents before.
    package var isLoaded: Bool
    /// What calls show; nil: nothing. This one is what official clients send to an emulator; other servers take it for a
    /// token of theirs.
    package var token: String? = "owner"
    package var security = ChannelSecurity.plaintext

    package init(
        host: String,
        port: Int,
        work: Work,
        pace: Pace,
        connections: Int,
        streams: Int,
        threads: Int,
        warmUp: Duration,
        duration: Duration,
        documents: Int,
        databases: Int = 1,
        documentBytes: Int,
        fields: Int,
        isLoaded: Bool
    ) {
        self.host = host
        self.port = port
        self.work = work
        self.pace = pace
        self.connections = connections
        self.streams = streams
        self.threads = threads
        self.warmUp = warmUp
        self.duration = duration
        self.documents = documents
        self.databases = databases
        self.documentBytes = documentBytes
        self.fields = fields
        self.isLoaded = isLoaded
    }

    /// Of each database, but the last, which may have fewer.
    var documentsOfDatabase: Int { (self.documents + self.databases - 1) / self.databases }

    /// How many calls a connection makes.
    func calls(on connection: Int) -> Int {
        guard case .counted(let calls) = self.pace else { return .max }
        return calls / self.connections + (connection < calls % self.connections ? 1 : 0)
    }
}

/// Why there is nothing to measure: one line.
package struct BenchError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
