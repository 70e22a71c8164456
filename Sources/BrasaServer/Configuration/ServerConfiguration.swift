package import BrasaLog
package import BrasaOptions
package import Logging

/// Everything that `brasa serve` can be told. Values are checked where they are parsed; the server trusts them.
package struct ServerConfiguration: Sendable {
    package var listen: ListenAddress
    package var dataDirectory: String
    package var durability: Durability
    /// Shards of the store, at most 256: a power of two is not needed, more than the cores is useful.
    package var shards: Int
    /// Event loops.
    package var threads: Int
    /// How far back a `read_time` may reach.
    package var history: Duration
    /// What all indexes together may take.
    package var indexBytesMax: Int
    /// An index that no query used for this long is dropped.
    package var indexIdle: Duration
    /// Opens the emulator's endpoints, which can clear a database.
    package var emulator: Bool
    /// Allows listening beyond loopback although nothing checks who calls.
    package var insecure: Bool
    package var logLevel: Logger.Level
    /// How long calls in flight may take to finish after SIGTERM.
    package var grace: Duration
    /// What all connections together may make the server keep of requests and responses.
    package var connectionBytesMax: Int
    /// Connections at a time; nil: as many as the system gives file descriptors for, up to 10,000.
    package var connectionsMax: Int?
    package var connectionsPerAddressMax: Int
    /// How long a client may take to send a request.
    package var receiveTimeMax: Duration

    package init(
        listen: ListenAddress,
        dataDirectory: String,
        durability: Durability,
        shards: Int,
        threads: Int,
        history: Duration,
        indexBytesMax: Int = 1 << 30,
        indexIdle: Duration = .seconds(24 * 3_600),
        emulator: Bool,
        insecure: Bool,
        logLevel: Logger.Level,
        grace: Duration = .seconds(10),
        connectionBytesMax: Int = 512 << 20,
        connectionsMax: Int? = nil,
        connectionsPerAddressMax: Int = 1024,
        receiveTimeMax: Duration = .seconds(60)
    ) {
        self.listen = listen
        self.dataDirectory = dataDirectory
        self.durability = durability
        self.shards = shards
        self.threads = threads
        self.history = history
        self.indexBytesMax = indexBytesMax
        self.indexIdle = indexIdle
        self.emulator = emulator
        self.insecure = insecure
        self.logLevel = logLevel
        self.grace = grace
        self.connectionBytesMax = connectionBytesMax
        self.connectionsMax = connectionsMax
        self.connectionsPerAddressMax = connectionsPerAddressMax
        self.receiveTimeMax = receiveTimeMax
    }
}

extension ServerConfiguration {
    /// Less would leave the first connection too little for a few documents.
    private static let connectionBytesMin = 16 << 20

    /// Nil when the text is no amount of memory, or too little.
    package static func connectionBytes(parsing text: String) -> Int? {
        ByteCountText.parse(text).flatMap { $0 >= Self.connectionBytesMin ? $0 : nil }
    }

    /// What one connection's unfinished and unanswered requests may take. Many parallel commits of large documents are
    /// refused when the server is short of room, not before.
    var requestBytesMax: Int { max(64 << 20, self.connectionBytesMax / 4) }
}
