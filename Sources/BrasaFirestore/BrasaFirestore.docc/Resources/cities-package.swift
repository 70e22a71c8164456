// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cities",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "brasa", path: "../brasa", traits: [])],
    targets: [
        .executableTarget(
            name: "Cities",
            dependencies: [.product(name: "BrasaFirestore", package: "brasa")]
        )
    ]
)
