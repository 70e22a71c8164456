package import BrasaLog
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
        grace: Duration = .seconds(10)
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
    }
}

/// A host and a port, as in `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`. Port 0 lets the system pick one.
package struct ListenAddress: Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Nil when the text is not a host and a port 0...65535.
    package init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let first = text[text.index(after: colon)...].first, first != "+",
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: host, port: Int(port))
    }

    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
