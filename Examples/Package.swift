// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user's would be; a user names the repository's address in place of the path. Without traits it
// fetches nothing that only the server and the tools need. On Linux the client needs the system's libnghttp2, libprotobuf-c,
// libsqlite3 and zlib, which `scripts/dependencies build` installs.

func example(_ name: String, _ library: String = "BrasaFirestore") -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: library, package: "brasa")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    )
}

let package = Package(
    name: "brasa-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "brasa", path: "..", traits: [])],
    targets: [
        example("PopulationTransaction"),
        example("RatingsAggregation"),
        example("TerminalBoard"),
        example("TerminalChat", "BrasaDatabase"),
    ]
)
