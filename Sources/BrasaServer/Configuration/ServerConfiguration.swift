package import BrasaLog
package import BrasaOptions
import BrasaTLS
package import Logging
import NIOCore

/// Everything that `brasa serve` can be told, as it is when nobody says otherwise. `Setting.all` says how each is called,
/// and checks its value where it is parsed; the server trusts them.
package struct ServerConfiguration: Sendable {
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Metrics and probes for whoever reaches it; nil: with everything else.
    package var metricsListen: ListenAddress?
    package var dataDirectory = "./brasa-data"
    /// PEM files; certificate and key come together.
    package var tlsCertificate: String?
    package var tlsKey: String?
    package var tlsClientAuthorities: String?
    package var issuersFile: String?
    package var firebaseProject: String?
    package var rulesFile: String?
    package var treeRulesFile: String?
    package var durability = Durability.fsync
    /// Shards of the store: a power of two is not needed, more than the cores is useful.
    package var shards = 4
    /// Event loops.
    package var threads = min(System.coreCount, Self.threadsMax)
    /// How far back a `read_time` may reach.
    package var history: Duration = .seconds(3_600)
    /// What all indexes together may take.
    package var indexBytesMax = 1 << 30
    /// An index that no query used for this long is dropped.
    package var indexIdle: Duration = .seconds(24 * 3_600)
    /// What all connections together may make the server keep of requests and responses.
    package var connectionBytesMax = 512 << 20
    /// What documents, their old versions, indexes and connections together may take; nil: as much as there is.
    package var memoryBytesMax: Int?
    /// Connections at a time; nil: as many as the system gives file descriptors for, up to 10,000.
    package var connectionsMax: Int?
    package var connectionsPerAddressMax = 1024
    /// Of one caller; nil: as many as they like.
    package var callsPerSecondMax: Int?
    /// At a time, of one caller; nil: as many as they like.
    package var streamsPerCallerMax: Int?
    /// At a time, of one caller; nil: as many as they like.
    package var listenersPerCallerMax: Int?
    /// Of what is kept for the calls of one caller; nil: as much as there is.
    package var bytesPerCallerMax: Int?
    /// How long a client may take to send a request.
    package var receiveTimeMax: Duration = .seconds(60)
    /// Opens the emulator's endpoints, which can clear a database.
    package var emulator = false
    /// Allows plain text beyond loopback, and to do everything there as long as nothing says who may.
    package var insecure = false
    package var logLevel = Logger.Level.info
    package var logFormat = LogFormat.text
    /// Calls that take as long are told in the log.
    package var slowCall: Duration = .seconds(1)
    /// How long calls in flight may take to finish after SIGTERM. No setting.
    package var grace: Duration = .seconds(10)

    package init() {}

    /// Nil: plain text.
    /// - Throws: `StartError` when one of the settings wants another.
    func tlsFiles() throws(StartError) -> TLSFiles? {
        switch (self.tlsCertificate, self.tlsKey) {
        case (let certificate?, let key?):
            return TLSFiles(
                certificateChain: certificate,
                privateKey: key,
                clientAuthorities: self.tlsClientAuthorities
            )
        case (nil, nil) where self.tlsClientAuthorities == nil: return nil
        case (_, nil): throw StartError("--tls-key FILE is missing: TLS is served with --tls-certificate and --tls-key")
        case (nil, _):
            throw StartError("--tls-certificate FILE is missing: TLS is served with --tls-certificate and --tls-key")
        }
    }

    static let shardsMax = 256
    static let threadsMax = 256
    /// Less would leave the first connection too little for a few documents.
    static let connectionBytesMin = 16 << 20
    /// Less would refuse a commit of a large document.
    static let bytesPerCallerMin = 4 << 20

    /// Less would leave hardly anything to documents beside the smallest `connectionBytesMax`.
    static let memoryBytesMin = 32 << 20

    /// - Throws: `StartError` when connections alone may take all that there may be.
    func checkMemory() throws(StartError) {
        guard let bytesMax = self.memoryBytesMax, bytesMax <= self.connectionBytesMax else { return }
        let (memory, connections) = (ByteCountText.exact(bytesMax), ByteCountText.exact(self.connectionBytesMax))
        throw StartError(
            "--max-memory \(memory) leaves nothing for documents: --connection-memory \(connections) is a part of it"
        )
    }

    /// What one connection's unfinished and unanswered requests may take. Many parallel commits of large documents are
    /// refused when the server is short of room, not before.
    var requestBytesMax: Int { max(64 << 20, self.connectionBytesMax / 4) }
}
