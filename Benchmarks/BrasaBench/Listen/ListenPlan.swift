/// How many listen to what, and how it is changed.
package struct ListenPlan: Sendable {
    package enum Peer: Sendable {
        /// Listen and Commit of a server that speaks Firestore's protocol.
        case firestore
        /// Watch and Put of etcd.
        case etcd
    }

    package enum Subject: Sendable {
        /// One document; one key of etcd.
        case document
        /// A query that matches ten documents; the range of ten keys of etcd.
        case query
    }

    package enum Pace: Sendable {
        /// The next change comes when every listener has heard of the last.
        case closed
        /// Changes at fixed times, so many a second. Latency counts from the time at which a change should have been made.
        case open(changesPerSecond: Double)
    }

    package var host: String
    package var port: Int
    package var peer: Peer
    package var subject: Subject
    package var pace: Pace
    /// Each is a stream of its own.
    package var listeners: Int
    package var connections: Int
    /// Of the listeners, some on every connection: once they have the first state they give their streams no more credit.
    package var stalled: Int
    /// Of the connections, the last ones: once their listeners have the first state their sockets are read no more.
    package var stalledConnections: Int
    package var documentBytes: Int
    package var warmUp: Duration
    package var duration: Duration
    /// The server's process on this machine, whose memory is looked at.
    package var process: Int?

    package init(
        host: String,
        port: Int,
        peer: Peer,
        subject: Subject,
        pace: Pace,
        listeners: Int,
        connections: Int,
        stalled: Int,
        stalledConnections: Int,
        documentBytes: Int,
        warmUp: Duration,
        duration: Duration,
        process: Int?
    ) {
        self.host = host
        self.port = port
        self.peer = peer
        self.subject = subject
        self.pace = pace
        self.listeners = listeners
        self.connections = connections
        self.stalled = stalled
        self.stalledConnections = stalledConnections
        self.documentBytes = documentBytes
        self.warmUp = warmUp
        self.duration = duration
        self.process = process
    }

    // MARK: Who listens where

    /// The listeners of one connection.
    struct Share: Equatable {
        var listeners: Int
        /// Of them, those that give their streams no credit.
        var stalled: Int
        /// Whether the connection is not read.
        var isStalled: Bool

        /// How many hear of changes.
        var reading: Int { self.isStalled ? 0 : self.listeners - self.stalled }
    }

    /// As even as it can be.
    func share(ofConnection index: Int) -> Share {
        let listeners = Self.part(of: self.listeners, index, self.connections)
        return Share(
            listeners: listeners,
            stalled: min(listeners, Self.part(of: self.stalled, index, self.connections)),
            isStalled: index >= self.connections - self.stalledConnections
        )
    }

    private static func part(of whole: Int, _ index: Int, _ parts: Int) -> Int {
        whole / parts + (index < whole % parts ? 1 : 0)
    }

    /// Of all listeners, those that hear of changes.
    package var reading: Int { (0..<self.connections).reduce(0) { $0 + self.share(ofConnection: $1).reading } }
}
