import BrasaLog
import BrasaOptions
import Logging

extension Setting {
    /// In the order of help.
    package static let all: [Setting] = [
        Setting("listen", \.listen, .address, "Where to listen; port 0 picks a free one"),
        Setting(
            "metrics-address",
            \.metricsListen,
            SettingKind<ListenAddress>.address.optional,
            default: "that of --listen",
            "Where to serve metrics and probes instead, over plain HTTP to whoever reaches it; from before data is read"
        ),
        Setting("data-dir", \.dataDirectory, .folder, "The folder that holds the data; made when missing"),
        Setting(
            "tls-certificate",
            \.tlsCertificate,
            SettingKind<String>.file.optional,
            default: "none: plain text",
            "Serve TLS with this certificate, and those that lead to one that clients know (PEM); read again when it changes"
        ),
        Setting(
            "tls-key",
            \.tlsKey,
            SettingKind<String>.file.optional,
            default: "none: plain text",
            "The private key of `--tls-certificate` (PEM, without a passphrase); read again when it changes"
        ),
        Setting(
            "tls-client-ca",
            \.tlsClientAuthorities,
            SettingKind<String>.file.optional,
            default: "no authority",
            "Take who shows a certificate of one of these authorities (PEM) for an administrator; read again when it changes"
        ),
        Setting(
            "issuers",
            \.issuersFile,
            SettingKind<String>.file.optional,
            default: "no issuers",
            "The OpenID providers whose users are believed (JSON, see docs/identity.md)",
            isLive: true
        ),
        Setting(
            "firebase-project",
            \.firebaseProject,
            SettingKind<String>.name.optional,
            default: "no project",
            "Believe the users of this project of Firebase Authentication, too",
            isLive: true
        ),
        Setting(
            "rules",
            \.rulesFile,
            SettingKind<String>.file.optional,
            default: "no rules: users may do nothing",
            "The security rules by which users, and calls without a token, are judged; read again when it changes"
        ),
        Setting(
            "tree-rules",
            \.treeRulesFile,
            SettingKind<String>.file.optional,
            default: "no rules: users may do nothing",
            "The Realtime Database's rules (JSON) for databases without rules of their own; read again when it changes"
        ),
        Setting(
            "durability",
            \.durability,
            .word("MODE"),
            """
            When a commit is acknowledged: `fsync`, on stable storage; `os`, handed to the system; `memory`, no log at all
            """
        ),
        Setting(
            "shards",
            \.shards,
            .count(1...ServerConfiguration.shardsMax),
            "Parts of each database that work side by side"
        ),
        Setting(
            "threads",
            \.threads,
            .count(1...ServerConfiguration.threadsMax),
            default: "one per core",
            "Event loop threads"
        ),
        Setting("history", \.history, .duration(), "How far back reads at a `read_time` may reach"),
        Setting(
            "index-memory",
            \.indexBytesMax,
            .bytes(),
            "How much memory indexes may take; past it those unused for longest go"
        ),
        Setting("index-idle", \.indexIdle, .duration(), "Drop an index when no query used it for this long"),
        Setting(
            "connection-memory",
            \.connectionBytesMax,
            .bytes(from: ServerConfiguration.connectionBytesMin),
            """
            How much memory connections may take for requests and responses; past it new requests and the answers of \
            reads get `RESOURCE_EXHAUSTED`, and streams wait
            """
        ),
        Setting(
            "max-memory",
            \.memoryBytesMax,
            SettingKind<Int>.bytes(from: ServerConfiguration.memoryBytesMin).optional,
            default: "no bound",
            """
            How much memory documents, their old versions and indexes may take, together with all of \
            `--connection-memory`; past it old versions go early, and writes but deletes get `RESOURCE_EXHAUSTED`
            """,
            isLive: true
        ),
        Setting(
            "connections",
            \.connectionsMax,
            SettingKind<Int>.count(1...Int.max).optional,
            default: "10000, or what the system allows",
            "Connections at a time; more are closed at once",
            isLive: true
        ),
        Setting(
            "connections-per-address",
            \.connectionsPerAddressMax,
            .count(1...Int.max),
            "Connections at a time from one address, or IPv6 network of 64 bits",
            isLive: true
        ),
        Setting(
            "calls-per-second",
            \.callsPerSecondMax,
            SettingKind<Int>.count(1...1_000_000).optional,
            default: "no bound",
            "Calls of one key, user or certificate, or of those at one address who show none; more get `RESOURCE_EXHAUSTED`",
            isLive: true
        ),
        Setting(
            "streams-per-caller",
            \.streamsPerCallerMax,
            SettingKind<Int>.count(1...1_000_000).optional,
            default: "no bound",
            "Streams of results, Listen and Write streams at a time of one such caller; more get `RESOURCE_EXHAUSTED`",
            isLive: true
        ),
        Setting(
            "listeners-per-caller",
            \.listenersPerCallerMax,
            SettingKind<Int>.count(1...1_000_000).optional,
            default: "no bound",
            "Targets that one such caller listens to at a time; more get `RESOURCE_EXHAUSTED`",
            isLive: true
        ),
        Setting(
            "bytes-per-caller",
            \.bytesPerCallerMax,
            SettingKind<Int>.bytes(from: ServerConfiguration.bytesPerCallerMin).optional,
            default: "no bound",
            "Of `--connection-memory`, what requests and listeners of one such caller may take; more get `RESOURCE_EXHAUSTED`",
            isLive: true
        ),
        Setting(
            "receive-time",
            \.receiveTimeMax,
            .duration(isZeroAllowed: false),
            """
            How long a client may take to send a request, or a message of a stream; past it the call gets \
            `DEADLINE_EXCEEDED`, and an answer that is not read is given up after up to twice as long
            """
        ),
        Setting(
            "emulator",
            \.emulator,
            .flag,
            """
            Open the emulator's endpoints, which clear a database and load its rules; on loopback, take \
            `Bearer owner` for an administrator, and unsigned tokens for users
            """
        ),
        Setting(
            "insecure",
            \.insecure,
            .flag,
            """
            Allow plain text beyond loopback, and everybody to do everything as long as there are no keys, issuers or client \
            authorities
            """
        ),
        Setting(
            "slow-call",
            \.slowCall,
            .duration(isZeroAllowed: false),
            "The log has a line for a call that takes as long, as it has for those that fail"
        ),
        Setting("log-format", \.logFormat, .word("FORMAT"), "How a line of the log is written"),
        Setting("log-level", \.logLevel, .word("LEVEL"), "What is logged, to standard error", isLive: true),
    ]

    /// What stands there has to be read to know whether it can be.
    var namesIssuers: Bool { ["issuers", "firebase-project"].contains(self.name) }

    package static func named(_ name: some StringProtocol) -> Setting? { self.all.first { $0.name == name } }
}
