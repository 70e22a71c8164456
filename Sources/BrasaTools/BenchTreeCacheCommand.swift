import ArgumentParser
import BrasaBench
import BrasaOptions
import Foundation

struct BenchTreeCacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree-cache",
        abstract: "Fill the disk cache of the Realtime Database's Swift client, or say how long a start with it takes.",
        discussion: """
            fill writes leaves of the tree "bench" and listens to them with a cache. start is another process, which asks no \
            server; the address is part of a cache's name, so it has to be the same.
            """
    )

    enum Phase: String, ExpressibleByArgument, CaseIterable {
        case fill, start
    }

    @Argument(help: "fill, or start.")
    var phase: Phase

    @Option(help: "The server.")
    var target = "127.0.0.1:8080"

    @Option(help: "The cache's folder.")
    var folder: String

    @Option(help: "Leaves of the node that is kept.")
    var leaves = 100_000

    @Option(help: "Bytes of a leaf.")
    var size = 150

    @Option(
        help: """
            text, or row. Of fill: milliseconds until a listener has all leaves, and the bytes of the cache's files. Of start: \
            milliseconds until the client is open, one leaf is there, ten are, and all are.
            """
    )
    var format = BenchCommand.Format.text

    func run() async throws {
        try await BenchCommand.explainingErrors {
            switch self.phase {
            case .fill: self.print(try await TreeCacheRunner.fill(try self.plan()))
            case .start: self.print(try await TreeCacheRunner.start(try self.plan()))
            }
        }
    }

    private func plan() throws -> TreeCacheRunner.Plan {
        let target = try BenchCommand.address("--target", self.target)
        try BenchCommand.check("--leaves", self.leaves, 1...1_000_000)
        try BenchCommand.check("--size", self.size, 1...TreePlan.valueBytesMax)
        return TreeCacheRunner.Plan(
            host: target.host,
            port: target.port,
            folder: self.folder,
            leaves: self.leaves,
            valueBytes: self.size
        )
    }

    private func print(_ filled: TreeCacheRunner.Filled) {
        let time = Self.milliseconds(filled.time)
        switch self.format {
        case .row: Swift.print(time, filled.bytes)
        case .text:
            Swift.print("the server's \(self.leaves) leaves come into an empty cache: \(time) ms")
            Swift.print("the cache's files: \(filled.bytes) bytes")
        }
    }

    private func print(_ started: TreeCacheRunner.Started) {
        let times = [started.open, started.leaf, started.few, started.all].map { Self.milliseconds($0) }
        switch self.format {
        case .row: Swift.print(times.joined(separator: " "))
        case .text:
            Swift.print("the client is open: \(times[0]) ms after the start")
            Swift.print("an observer of a leaf has its value: \(times[1]) ms")
            Swift.print("an observer of the first ten has them: \(times[2]) ms")
            Swift.print("an observer of all \(self.leaves) has them: \(times[3]) ms")
        }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.1f", duration / .milliseconds(1))
    }
}
