import BrasaGRPC
import BrasaStatus
import Histogram
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

package enum ClientRunner {
    /// Sets up, warms up, measures.
    ///
    /// - Throws: `BenchError` when the set-up fails.
    package static func run(_ plan: ClientPlan) async throws -> ClientReport {
        let sessions = try (0..<plan.clients).map { _ in try ClientSession(plan) }
        do {
            try await sessions[0].write()
            for session in sessions { try await session.prepare() }
        } catch {
            throw BenchError("set-up: \(error)")
        }
        let meter = ClientMeter(calls: plan.calls)
        let report = try await withThrowingTaskGroup(of: Void.self) { group in
            if plan.calls != nil { meter.start() }
            for (place, session) in sessions.enumerated() {
                for task in 0..<plan.tasks {
                    group.addTask { await meter.repeating(from: (place << 16 | task) << 32, session.call) }
                }
            }
            guard plan.calls == nil else {
                try await group.waitForAll()
                return meter.stop()
            }
            try await Task.sleep(for: plan.warmUp)
            meter.start()
            try await Task.sleep(for: plan.duration)
            // A short measurement lasts until there is something to tell.
            while meter.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            defer { group.cancelAll() }
            return meter.stop()
        }
        for session in sessions { try await session.close() }
        return report
    }
}

/// What all tasks of a measurement share.
private final class ClientMeter: Sendable {
    private struct State {
        var report: BenchReport?
        var began: (time: ContinuousClock.Instant, processor: Duration)?
        /// Nil: as many as there is time for.
        var callsLeft: Int?
        var isStopped = false

        /// Whether another call is to be made, which counts it.
        mutating func takeCall() -> Bool {
            guard !self.isStopped, self.callsLeft != 0 else { return false }
            self.callsLeft = self.callsLeft.map { $0 - 1 }
            return true
        }
    }

    private let state: Mutex<State>

    init(calls: Int?) {
        self.state = Mutex(State(callsLeft: calls))
    }

    func start() {
        let began = (ContinuousClock.now, Self.processorTime)
        self.state.withLock {
            $0.report = BenchReport()
            $0.began = began
        }
    }

    /// No call was answered and none has failed since the start.
    var isEmpty: Bool {
        self.state.withLock { $0.report.map { $0.calls == 0 && $0.failures.isEmpty } ?? true }
    }

    /// Calls that are not answered by now do not count.
    func stop() -> ClientReport {
        let (now, processor) = (ContinuousClock.now, Self.processorTime)
        return self.state.withLock { state in
            var report = state.report ?? BenchReport()
            state.report = nil
            state.isStopped = true
            let began = state.began ?? (now, processor)
            report.duration = began.time.duration(to: now)
            return ClientReport(calls: report, processorTime: processor - began.processor)
        }
    }

    /// One call after the other until the measurement is over.
    func repeating(from first: Int, _ call: (Int) async throws -> Void) async {
        var number = first
        while self.state.withLock({ $0.takeCall() }) {
            number += 1
            let start = ContinuousClock.now
            do {
                try await call(number)
                self.record(start.duration(to: .now))
            } catch {
                self.record(error)
            }
        }
    }

    private func record(_ latency: Duration) {
        let nanoseconds = UInt64(max(0, latency / .nanoseconds(1)))
        self.state.withLock { _ = $0.report?.latencies.record(nanoseconds) }
    }

    private func record(_ error: any Error) {
        self.state.withLock { state in
            guard state.report != nil else { return }
            state.report?.failures[.unknown, default: 0] += 1
            if state.report?.failureExample == nil { state.report?.failureExample = "\(error)" }
        }
    }

    /// Of all threads of this process so far.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
