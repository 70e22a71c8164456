// swift-tools-version: 6.2
import PackageDescription

// The manifest is the architecture (docs/architecture.md): every arrow between modules stands here, none is inherited.
// `swift build --explicit-target-dependency-import-check error` fails an import that no arrow allows.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

/// A product that no client library stands on: who depends on this package for one, without traits, does not even fetch it.
func programs(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Programs"]))
}

/// A room: a Swift target in Sources, with a test target of the same name plus `Tests` when it has tests of its own.
func room(_ name: String, _ dependencies: [Target.Dependency], _ others: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + others)
}

/// What waits in a client's library waits where its caller is.
let client: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: dependencies,
        resources: resources,
        swiftSettings: settings
    )
}

/// Test support: a library under Tests.
func support(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: settings)
}

/// A program of `Examples`, which is a package of its own: as a target of this one it is built and run with the tests.
func example(_ name: String, _ library: Target.Dependency = "BrasaFirestore") -> Target {
    .executableTarget(
        name: "\(name)Example",
        dependencies: [library],
        path: "Examples/Sources/\(name)",
        swiftSettings: settings
    )
}

let pure: [Target.Dependency] = ["BrasaDocuments", "BrasaQueries"]

let package = Package(
    name: "brasa",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "brasa", targets: ["BrasaCLI"]),
        // Apart, so that a server's build has neither the client nor what only it needs: SQLite, histograms.
        .executable(name: "brasa-tools", targets: ["BrasaTools"]),
        .library(name: "BrasaFirestore", targets: ["BrasaFirestore"]),
        .library(name: "BrasaDatabase", targets: ["BrasaDatabase"]),
    ],
    traits: [
        .trait(name: "Programs", description: "The server, the tools and the tests. Client libraries do without them."),
        .default(enabledTraits: ["Programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        // Without traits: YAML's would bring Foundation.
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // pure: no I/O, lock, clock, NIO or C
        room("BrasaBytes", []),
        room("BrasaStatus", []),
        room("BrasaBackoff", []),
        room("BrasaDocuments", ["BrasaBytes"]),
        room("BrasaQueries", ["BrasaDocuments"]),
        room("BrasaTree", ["BrasaBytes"]),
        room("BrasaRules", pure + ["BrasaBytes"]),
        room("BrasaTreeRules", ["BrasaBytes", "BrasaRules", "BrasaTree"]),
        room("BrasaTreeWire", ["BrasaTree"]),
        room("BrasaTreeEngine", ["BrasaTree", "BrasaTreeRules"]),

        // measures: what is counted on the way; no dependency at all
        room("BrasaMeasures", []),

        // messages: what is asked and answered, of every service; no bytes
        room("BrasaMessages", pure + ["BrasaStatus"]),

        // transport: knows no storage
        .systemLibrary(
            name: "CBrasaNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["nghttp2"])]
        ),
        .systemLibrary(
            name: "CBrasaProtobufC",
            pkgConfig: "libprotobuf-c",
            providers: [.apt(["libprotobuf-c-dev"]), .brew(["protobuf-c"])]
        ),
        .systemLibrary(
            name: "CBrasaZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .target(name: "CBrasaFirestoreV1", dependencies: ["CBrasaProtobufC"]),
        room("BrasaHTTP2", ["CBrasaNghttp2", nio("NIOCore")]),
        room(
            "BrasaGRPC",
            ["BrasaBytes", "BrasaStatus", "BrasaMeasures", "BrasaHTTP2", "CBrasaZlib", nio("NIOCore")]
        ),
        room(
            "BrasaWire",
            pure + [
                "BrasaBytes", "BrasaStatus", "BrasaMessages", "BrasaGRPC", "CBrasaFirestoreV1", "CBrasaProtobufC",
                nio("NIOCore"),
            ]
        ),

        // engine: knows no network and no protobuf
        .target(name: "CBrasaChecksum"),
        .target(name: "CBrasaMemory"),
        .target(name: "CBrasaThreads"),
        .target(name: "CBrasaAllocator"),
        room("BrasaPlatform", ["CBrasaThreads", "CBrasaAllocator"]),
        room("BrasaLog", ["BrasaPlatform", "BrasaMeasures", "CBrasaChecksum"]),
        room(
            "BrasaStore",
            pure + ["BrasaTree", "BrasaBytes", "BrasaLog", "BrasaMeasures", "BrasaPlatform", "CBrasaMemory"]
        ),
        room("BrasaTransactions", pure + ["BrasaTree", "BrasaStore", "BrasaPlatform"]),
        room("BrasaWatch", pure + ["BrasaStore", "BrasaPlatform"]),

        // join: asks the engine; knows no transport and no encoding
        room(
            "BrasaService",
            pure + [
                "BrasaBytes", "BrasaRules", "BrasaStatus", "BrasaMessages", "BrasaIdentity", "BrasaTransactions",
                "BrasaWatch",
                "BrasaStore", "BrasaPlatform",
                nio("NIOCore"),
            ]
        ),

        // who may do what in trees: rules by tree, where they are kept, and as whom somebody is judged
        room(
            "BrasaTreeJudging",
            [
                "BrasaTree", "BrasaTreeRules", "BrasaTreeEngine", "BrasaIdentity", "BrasaTransactions", "BrasaStore",
                "BrasaPlatform",
            ]
        ),

        // the same for trees; JSON of the tree is what is asked and answered
        room(
            "BrasaTreeService",
            [
                "BrasaTree", "BrasaTreeEngine", "BrasaTreeJudging", "BrasaDocuments", "BrasaIdentity",
                "BrasaTransactions", "BrasaStore", "BrasaPlatform",
            ]
        ),

        // trees of one event loop: listeners and sessions over the store's steps; knows no transport and no encoding
        room(
            "BrasaTreeWatch",
            [
                "BrasaDocuments", "BrasaTree", "BrasaTreeEngine", "BrasaTreeJudging", "BrasaStore",
                "BrasaTransactions", "BrasaPlatform",
            ]
        ),

        // doors: decode, hand over, encode; they never see the engine
        room(
            "BrasaGRPCDoor",
            [
                "BrasaService", "BrasaMessages", "BrasaIdentity", "BrasaDocuments", "BrasaStatus", "BrasaWire",
                "BrasaGRPC", "BrasaHTTP2", nio("NIOCore"),
            ]
        ),

        // the Realtime Database's connections that stay open: its WebSocket and long polling
        room(
            "BrasaTreeSocket",
            [
                "BrasaBytes", "BrasaTree", "BrasaTreeEngine", "BrasaTreeJudging", "BrasaTreeWire", "BrasaTreeWatch",
                "BrasaIdentity",
                "BrasaPlatform", "BrasaHTTP", "BrasaHTTP2", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            ]
        ),

        // identity: who asks
        room("BrasaIdentity", []),

        // plain HTTP, of both versions: requests, router
        room("BrasaHTTP", ["BrasaBytes", "BrasaIdentity", "BrasaHTTP2", nio("NIOCore"), nio("NIOHTTP1")]),

        // door to the trees over plain HTTP
        room(
            "BrasaTreeDoor",
            ["BrasaTreeService", "BrasaTree", "BrasaIdentity", "BrasaHTTP", nio("NIOCore")]
        ),

        // what a program with a key signs: clients and an operator's commands
        room(
            "BrasaSigner",
            [
                "BrasaBytes", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        room(
            "BrasaTokens",
            [
                "BrasaIdentity", "BrasaPlatform", "BrasaSigner",
                programs("JWTKit", "jwt-kit"), .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        // its network: the one importer of async-http-client
        room(
            "BrasaFetch",
            [
                "BrasaTokens", nio("NIOCore"), nio("NIOHTTP1"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                programs("AsyncHTTPClient", "async-http-client"),
            ]
        ),
        // certificates of a server; knows no server
        room(
            "BrasaTLS",
            ["BrasaPlatform", nio("NIOCore"), .product(name: "NIOSSL", package: "swift-nio-ssl")]
        ),

        // client engine: caches, listeners, write queue; knows no network, disk, thread or protobuf
        room("BrasaSync", pure + ["BrasaBackoff", "BrasaBytes", "BrasaStatus"]),
        // the same for the Realtime Database's client, and its connection as a machine
        room("BrasaTreeSync", ["BrasaTree"]),
        room("BrasaTreeLink", ["BrasaBackoff", "BrasaTree", "BrasaTreeSync", "BrasaTreeWire"]),
        // what both clients' users configure, and read in the log
        room("BrasaApp", [.product(name: "Logging", package: "swift-log")]),
        // whose tokens both clients show
        room("BrasaCredentials", ["BrasaSigner"]),
        // what both clients' connections are made of
        room(
            "BrasaClientNetwork",
            [nio("NIOCore"), nio("NIOPosix"), .product(name: "NIOSSL", package: "swift-nio-ssl")]
        ),
        // the Realtime Database's client on an event loop
        room(
            "BrasaTreeRemote",
            [
                "BrasaBytes", "BrasaClientNetwork", "BrasaCredentials", "BrasaTree", "BrasaTreeLink", "BrasaTreeSync",
                "BrasaTreeWire", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            ]
        ),
        // the clients' disks: the first is SQLite's only importer
        .systemLibrary(
            name: "CBrasaSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        room("BrasaCacheFile", ["BrasaStatus", "CBrasaSQLite"]),
        room("BrasaTreeCache", ["BrasaCacheFile", "BrasaTree", "BrasaTreeSync"]),
        room("BrasaCache", pure + ["BrasaCacheFile", "BrasaSync", "BrasaMessages", "BrasaWire"]),

        // outside
        room("BrasaOptions", []),
        room(
            "BrasaServer",
            [
                "BrasaOptions", "BrasaBytes", "BrasaStatus", "BrasaDocuments", "BrasaRules", "BrasaMessages",
                "BrasaIdentity", "BrasaService",
                "BrasaTreeDoor", "BrasaTreeService", "BrasaTreeWatch", "BrasaTreeSocket", "BrasaTreeJudging",
                "BrasaTreeRules",
                "BrasaGRPCDoor", "BrasaHTTP", "BrasaTransactions", "BrasaWatch", "BrasaStore", "BrasaLog",
                "BrasaPlatform", "BrasaMeasures", "BrasaGRPC", "BrasaHTTP2", "BrasaWire", "BrasaTLS", "BrasaTokens",
                "BrasaFetch", "BrasaSigner",
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOTLS"), nio("NIOConcurrencyHelpers"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                programs("ServiceLifecycle", "swift-service-lifecycle"),
                programs("UnixSignals", "swift-service-lifecycle"),
                programs("Configuration", "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        room(
            "BrasaFirestore",
            pure + [
                "BrasaApp", "BrasaBackoff", "BrasaClientNetwork", "BrasaCredentials",
                "BrasaStatus", "BrasaSync", "BrasaCache", "BrasaCacheFile", "BrasaMessages", "BrasaWire", "BrasaGRPC",
                "BrasaHTTP2", nio("NIOCore"), nio("NIOPosix"), nio("NIOTLS"),
            ],
            client
        ),
        room(
            "BrasaDatabase",
            [
                "BrasaApp", "BrasaCacheFile", "BrasaClientNetwork", "BrasaCredentials", "BrasaStatus", "BrasaTree",
                "BrasaTreeCache",
                "BrasaTreeLink", "BrasaTreeRemote", "BrasaTreeSync", "BrasaTreeWire", nio("NIOCore"),
            ],
            client
        ),
        room("BrasaRuleCases", pure + ["BrasaRules", programs("Yams", "Yams")]),
        .target(
            name: "BrasaBench",
            dependencies: [
                "BrasaBytes", "BrasaStatus", "BrasaDocuments", "BrasaQueries", "BrasaMessages", "BrasaWire",
                "BrasaGRPC", "BrasaHTTP2", "BrasaClientNetwork", "BrasaDatabase", "BrasaFirestore",
                nio("NIOCore"), nio("NIOPosix"),
                programs("Histogram", "hdrhistogram-swift"),
            ],
            path: "Benchmarks/BrasaBench",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BrasaCLI",
            dependencies: [
                "BrasaServer", "BrasaOptions", "BrasaLog", "BrasaStore", "BrasaPlatform", "BrasaTokens", "BrasaRules",
                .product(name: "Logging", package: "swift-log"),
                programs("ArgumentParser", "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BrasaTools",
            dependencies: [
                "BrasaBench", "BrasaClientNetwork", "BrasaFirestore", "BrasaGRPC", "BrasaStatus", "BrasaOptions",
                "BrasaDocuments", "BrasaRules", "BrasaRuleCases",
                programs("ArgumentParser", "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),

        // Tests/: test support and the simulator are targets of their own; `Sources` is what ships
        support(
            "BrasaSimulation",
            pure + [
                "BrasaTree", "BrasaRules", "BrasaPlatform", "BrasaLog", "BrasaStore", "BrasaTransactions", "BrasaWatch",
                "BrasaIdentity", "BrasaTreeJudging", "BrasaTreeWatch",
            ]
        ),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "BrasaSimulation", programs("ArgumentParser", "swift-argument-parser"),
            ],
            path: "Tests/simulate",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "engine-load",
            dependencies: pure + [
                "BrasaTransactions", "BrasaStore", "BrasaLog", "BrasaPlatform",
                programs("ArgumentParser", "swift-argument-parser"),
            ],
            path: "Tests/engine-load",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "interop",
            dependencies: ["BrasaFirestore"],
            path: "Tests/interop",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "cache-worker",
            dependencies: [
                "BrasaFirestore", programs("ArgumentParser", "swift-argument-parser"),
            ],
            path: "Tests/cache-worker",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tree-worker",
            dependencies: [
                "BrasaDatabase", programs("ArgumentParser", "swift-argument-parser"),
            ],
            path: "Tests/tree-worker",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "rules-decide",
            dependencies: pure + ["BrasaRules"],
            path: "Tests/rules-decide",
            swiftSettings: settings
        ),
        example("PopulationTransaction"),
        example("RatingsAggregation"),
        example("TerminalBoard"),
        example("TerminalChat", "BrasaDatabase"),
        tests("BrasaBytes", ["BrasaBytes"]),
        tests("BrasaDocuments", ["BrasaBytes", "BrasaDocuments", "BrasaQueryModel"]),
        support("BrasaQueryModel", pure),
        support(
            "BrasaFuzzing",
            pure + ["BrasaRules", "BrasaTree", "BrasaTreeRules", "BrasaTreeWire"],
            exclude: ["Corpus"]
        ),
        support(
            "BrasaDoorFuzzing",
            [
                "BrasaMessages", "BrasaWire", "BrasaGRPC", "BrasaHTTP", "BrasaHTTP2", "BrasaIdentity", nio("NIOCore"),
                nio("NIOHTTP1"), nio("NIOEmbedded"),
            ],
            exclude: ["Corpus"]
        ),
        support("BrasaTokenFuzzing", ["BrasaTokens", "BrasaPlatform"], exclude: ["Corpus"]),
        support(
            "BrasaSocketFuzzing",
            [
                "BrasaBytes", "BrasaTree", "BrasaTreeJudging", "BrasaTreeSocket", "BrasaTreeWatch", "BrasaTreeWire",
                "BrasaHTTP", "BrasaHTTP2", "BrasaIdentity", "BrasaPlatform", "BrasaSimulation", nio("NIOCore"),
                nio("NIOHTTP1"), nio("NIOEmbedded"),
            ],
            exclude: ["Corpus"]
        ),
        tests("BrasaDoorFuzzing", ["BrasaDoorFuzzing", "BrasaSocketFuzzing", "BrasaTokenFuzzing"]),
        support("BrasaSyncSpecification", pure + ["BrasaStatus", "BrasaSync", "BrasaQueryModel"], exclude: ["Cases"]),
        tests(
            "BrasaSync",
            pure + ["BrasaBytes", "BrasaStatus", "BrasaSync", "BrasaSyncSpecification", "BrasaQueryModel"]
        ),
        support("BrasaPrograms", []),
        .executableTarget(
            name: "cache-holder",
            dependencies: ["BrasaCache", "BrasaDocuments"],
            path: "Tests/cache-holder",
            swiftSettings: settings
        ),
        tests(
            "BrasaCache",
            pure + [
                "cache-holder", "BrasaPrograms", "BrasaCache", "BrasaCacheFile", "BrasaStatus", "BrasaSync",
                "BrasaSyncSpecification", "BrasaQueryModel", "BrasaWire",
            ],
            resources: [.copy("Golden")]
        ),
        tests("BrasaMeasures", ["BrasaMeasures"]),
        tests("BrasaApp", ["BrasaApp"]),
        tests("BrasaCredentials", ["BrasaCredentials"]),
        tests("BrasaQueries", pure + ["BrasaQueryModel"]),
        tests("BrasaTree", ["BrasaBytes", "BrasaTree", "BrasaQueryModel"]),
        tests("BrasaTreeEngine", ["BrasaTree", "BrasaTreeEngine", "BrasaTreeRules", "BrasaQueryModel"]),
        tests(
            "BrasaTreeCache",
            ["BrasaCacheFile", "BrasaTree", "BrasaTreeCache", "BrasaTreeSync", "BrasaQueryModel"]
        ),
        tests("BrasaTreeSync", ["BrasaTree", "BrasaTreeSync", "BrasaQueryModel"]),
        tests("BrasaTreeWire", ["BrasaFuzzing", "BrasaTree", "BrasaTreeWire"]),
        tests("BrasaTreeLink", ["BrasaTree", "BrasaTreeLink", "BrasaTreeSync", "BrasaTreeWire"]),
        tests(
            "BrasaTreeJudging",
            [
                "BrasaTree", "BrasaTreeEngine", "BrasaTreeJudging", "BrasaTreeRules", "BrasaIdentity",
                "BrasaTransactions", "BrasaStore", "BrasaPlatform", "BrasaSimulation",
            ]
        ),
        tests(
            "BrasaTreeWatch",
            [
                "BrasaTree", "BrasaTreeEngine", "BrasaTreeJudging", "BrasaTreeRules", "BrasaTreeWatch",
                "BrasaIdentity", "BrasaStore", "BrasaTransactions", "BrasaPlatform", "BrasaSimulation",
            ]
        ),
        tests(
            "BrasaTreeSocket",
            [
                "BrasaTree", "BrasaTreeJudging", "BrasaTreeRules", "BrasaTreeSocket", "BrasaTreeWatch",
                "BrasaTreeWire", "BrasaIdentity", "BrasaHTTP2",
                "BrasaPlatform", "BrasaSimulation",
                nio("NIOCore"), nio("NIOHTTP1"), nio("NIOWebSocket"), nio("NIOEmbedded"),
            ]
        ),
        tests("BrasaTreeRules", ["BrasaBytes", "BrasaRules", "BrasaTree", "BrasaTreeRules"]),
        tests("BrasaRules", pure + ["BrasaRules", "BrasaQueryModel", "BrasaFuzzing"]),
        tests("BrasaRuleCases", pure + ["BrasaRules", "BrasaRuleCases"]),
        .target(name: "CBrasaAllocations", path: "Tests/CBrasaAllocations"),
        tests("BrasaHTTP2", ["BrasaHTTP2", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix")]),
        tests(
            "BrasaGRPC",
            [
                "BrasaGRPC", "BrasaStatus", "BrasaMeasures", "BrasaHTTP2", "CBrasaAllocations", nio("NIOCore"),
                nio("NIOEmbedded"), nio("NIOPosix"),
            ]
        ),
        tests(
            "BrasaWire",
            pure + [
                "BrasaBytes", "BrasaStatus", "BrasaMessages", "BrasaWire", "BrasaGRPC", "BrasaHTTP2",
                "CBrasaProtobufC",
                nio("NIOCore"), nio("NIOEmbedded"),
            ]
        ),
        tests("BrasaPlatform", ["BrasaPlatform"]),
        tests(
            "BrasaLog",
            ["BrasaLog", "BrasaPlatform", "BrasaMeasures", "BrasaSimulation", "CBrasaChecksum"],
            resources: [.copy("Golden")]
        ),
        tests(
            "BrasaStore",
            pure + [
                "BrasaTree", "BrasaStore", "BrasaLog", "BrasaPlatform", "BrasaSimulation", "BrasaQueryModel",
                "CBrasaAllocations",
            ]
        ),
        tests(
            "BrasaTransactions",
            pure + [
                "BrasaTree", "BrasaTransactions", "BrasaStore", "BrasaLog", "BrasaPlatform", "BrasaSimulation",
                "CBrasaAllocations",
            ]
        ),
        tests(
            "BrasaWatch",
            pure + ["BrasaWatch", "BrasaStore", "BrasaLog", "BrasaPlatform", "BrasaSimulation", "BrasaQueryModel"]
        ),
        tests("BrasaSimulation", ["BrasaSimulation", "BrasaPlatform"]),
        tests("BrasaOptions", ["BrasaOptions"]),
        support("BrasaCertificates", []),
        tests(
            "BrasaTLS",
            [
                "BrasaCertificates",
                "BrasaTLS", "BrasaPlatform", nio("NIOCore"), nio("NIOPosix"), nio("NIOTLS"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        tests(
            "BrasaFetch",
            [
                "BrasaFetch", "BrasaTokens", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        tests(
            "BrasaTokens",
            [
                "BrasaTokens", "BrasaIdentity", "BrasaPlatform", "BrasaSimulation",
                programs("JWTKit", "jwt-kit"), .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        tests("BrasaBench", ["BrasaBench", "BrasaDocuments", "BrasaMessages", "BrasaWire", nio("NIOCore")]),
        tests(
            "BrasaService",
            pure + [
                "BrasaBytes", "BrasaRules", "BrasaStatus", "BrasaService", "BrasaMessages", "BrasaIdentity",
                "BrasaGRPCDoor",
                "BrasaTransactions", "BrasaWatch", "BrasaStore", "BrasaLog", "BrasaPlatform", "BrasaWire", "BrasaGRPC",
                "BrasaHTTP2", "BrasaSimulation", "BrasaQueryModel", "CBrasaAllocations",
                nio("NIOCore"), nio("NIOEmbedded"),
            ]
        ),
        tests(
            "BrasaTreeService",
            [
                "BrasaTreeService", "BrasaTree", "BrasaTreeJudging", "BrasaTreeRules", "BrasaDocuments",
                "BrasaIdentity", "BrasaTransactions", "BrasaStore", "BrasaPlatform", "BrasaSimulation",
            ]
        ),
        tests(
            "BrasaTreeDoor",
            [
                "BrasaTreeDoor", "BrasaTreeService", "BrasaTreeJudging", "BrasaTreeRules", "BrasaTree", "BrasaHTTP",
                "BrasaIdentity", "BrasaTransactions", "BrasaStore", "BrasaPlatform", "BrasaSimulation", nio("NIOCore"),
                nio("NIOEmbedded"), nio("NIOHTTP1"),
            ]
        ),
        tests(
            "BrasaFirestore",
            pure + [
                "BrasaApp", "BrasaBackoff", "BrasaClientNetwork", "BrasaCredentials",
                "BrasaStatus", "BrasaCacheFile", "BrasaFirestore", "BrasaSync", "BrasaMessages", "BrasaWire",
                "BrasaGRPC",
                "BrasaHTTP2", "BrasaServer",
                "BrasaOptions", "BrasaLog", "BrasaQueryModel", "BrasaPlatform", "BrasaTokens", "BrasaSigner",
                nio("NIOCore"), nio("NIOPosix"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        tests(
            "BrasaDatabase",
            [
                "BrasaApp", "BrasaCertificates", "BrasaClientNetwork", "BrasaDatabase", "BrasaFirestore",
                "BrasaPrograms", "BrasaServer", "BrasaOptions", "BrasaLog", "BrasaPlatform", "BrasaTokens",
                "BrasaTree", "BrasaTreeRemote",
                nio("NIOCore"), nio("NIOPosix"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        tests(
            "BrasaServer",
            pure + [
                "BrasaStatus", "BrasaServer", "BrasaOptions", "BrasaRules", "BrasaHTTP", "BrasaMessages",
                "BrasaIdentity", "BrasaTree", "BrasaTreeJudging",
                "BrasaService", "BrasaTransactions",
                "BrasaWatch", "BrasaStore", "BrasaLog", "BrasaPlatform", "BrasaMeasures", "BrasaWire", "BrasaGRPC",
                "BrasaHTTP2", "BrasaSimulation", "BrasaTLS", "BrasaCertificates", "BrasaTokens", "BrasaSigner",
                "CBrasaAllocations",
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOTLS"), nio("NIOEmbedded"),
                nio("NIOConcurrencyHelpers"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                programs("ServiceLifecycle", "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        tests(
            "BrasaHTTP",
            ["BrasaHTTP", "BrasaHTTP2", "BrasaIdentity", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOEmbedded")]
        ),
    ]
)
