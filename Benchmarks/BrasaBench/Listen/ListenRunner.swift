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
        let (start, processorStart) = (clock.now, Self.processorTimes(plan))
        try await Task.sleep(for: plan.duration)
        let stopped = bench.stop()
        let (duration, processorEnd) = (clock.now - start, Self.processorTimes(plan))
        var report = try await stopped.get()
        report.duration = duration
        if let processorStart, let processorEnd {
            report.processor = ListenReport.Processor(
                server: processorEnd.server - processorStart.server,
                generator: processorEnd.generator - processorStart.generator
            )
        }
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

    private static func processorTimes(_ plan: ListenPlan) -> ListenReport.Processor? {
        guard let process = plan.process, let server = Self.processorTime("\(process)"),
            let generator = Self.processorTime("self")
        else { return nil }
        return ListenReport.Processor(server: server, generator: generator)
    }

    private static func processorTime(_ process: String) -> Duration? {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        return ProcessStatus.processorTime(stat, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func residentBytes(_ plan: ListenPlan) -> Int? {
        guard let process = plan.process,
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        else { return nil }
        return ProcessStatus.residentBytes(status)
    }
}

/// What the texts of `/proc/PID` say.
enum ProcessStatus {
    /// Of `stat`: what all threads together have used of the processors.
    static func processorTime(_ text: String, ticksPerSecond: Int) -> Duration? {
        // The program's name may hold spaces and brackets.
        guard let end = text.lastIndex(of: ")"), ticksPerSecond > 0 else { return nil }
        let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return .seconds((user + system) / Double(ticksPerSecond))
    }

    /// Of `status`.
    static func residentBytes(_ text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }) else { return nil }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.count == 3, words[2] == "kB", let kilobytes = Int(words[1]) else { return nil }
        return kilobytes * 1024
    }
}
