import BrasaGRPC
import Foundation
import NIOCore
import NIOPosix

package enum ListenRunner {
    /// Small, so that a listener who stalls is soon the server's problem and not the window's.
    private static let streamWindowBytes = 64 << 10

    /// Sets up, subscribes, warms up, measures.
    ///
    /// - Throws: `BenchError` when the server cannot be reached, or a call fails.
    package static func run(_ plan: ListenPlan) async throws -> ListenReport {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let bench = try ListenBench(plan, on: group.next())
            do {
                let report = try await Self.run(plan, bench, group: group)
                bench.close()
                try await group.shutdownGracefully()
                return report
            } catch {
                bench.abandon()
                throw error
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func run(
        _ plan: ListenPlan,
        _ bench: ListenBench,
        group: MultiThreadedEventLoopGroup
    ) async throws -> ListenReport {
        try await Self.open(plan, group, stalled: 0) { bench.setUp($0, $1) }.get()
        let before = Self.residentBytes(plan)
        for index in 0..<plan.connections {
            let share = plan.share(ofConnection: index)
            try await Self.open(plan, group, stalled: share.stalled) { bench.listen($0, $1, share) }
        }
        try await bench.whenReady().get()
        let listening = Self.residentBytes(plan)
        bench.start()
        try await Task.sleep(for: plan.warmUp)
        bench.record()
        let clock = ContinuousClock()
        let start = clock.now
        try await Task.sleep(for: plan.duration)
        let stopped = bench.stop()
        let duration = clock.now - start
        var report = try await stopped.get()
        report.duration = duration
        if let before, let listening, let after = Self.residentBytes(plan) {
            report.resident = ListenReport.Resident(before: before, listening: listening, after: after)
        }
        return report
    }

    private static func open<Made: Sendable>(
        _ plan: ListenPlan,
        _ group: MultiThreadedEventLoopGroup,
        stalled: Int,
        make: @escaping @Sendable (GRPCClientConnection, any Channel) -> Made
    ) async throws -> Made {
        try await BenchChannel.open(
            host: plan.host,
            port: plan.port,
            group: group,
            streamWindowBytes: Self.streamWindowBytes,
            // Streams that stall keep their windows' bytes: what the connection allows must last for the others.
            connectionWindowBytes: (4 << 20) + stalled * Self.streamWindowBytes,
            make: make
        )
    }

    private static func residentBytes(_ plan: ListenPlan) -> Int? {
        guard let process = plan.process,
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return nil }
        return ProcessStatus.residentBytes(status)
    }
}

/// The text of `/proc/PID/status`.
enum ProcessStatus {
    static func residentBytes(_ text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }) else { return nil }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count == 3, words[2] == "kB", let kilobytes = Int(words[1]) else { return nil }
        return kilobytes * 1024
    }
}
