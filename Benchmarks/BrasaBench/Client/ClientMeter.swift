import BrasaStatus
import Histogram
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What all that happens in a measurement is noted in.
final class ClientMeter: Sendable {
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

    /// - Parameter calls: how many are made in all. Nil: as many as there is time for.
    init(calls: Int? = nil) {
        self.state = Mutex(State(callsLeft: calls))
    }

    /// Lets so many tasks of each client make one call after the other, warms up, and measures; where it is said how many calls
    /// there are, it measures all of them.
    static func measure(
        _ clients: [@Sendable (Int) async throws -> Void],
        tasks: Int,
        calls: Int? = nil,
        warmUp: Duration,
        duration: Duration
    ) async throws -> ClientReport {
        let meter = ClientMeter(calls: calls)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if calls != nil { meter.start() }
            for (place, call) in clients.enumerated() {
                for task in 0..<tasks {
                    group.addTask { await meter.repeating(from: (place << 16 | task) << 32, call) }
                }
            }
            guard calls == nil else {
                try await group.waitForAll()
                return meter.stop()
            }
            defer { group.cancelAll() }
            return try await meter.run(warmUp: warmUp, duration: duration)
        }
    }

    /// A short measurement lasts until there is something to tell, but not longer than the patience.
    func run(warmUp: Duration, duration: Duration, patience: Duration? = nil) async throws -> ClientReport {
        try await Task.sleep(for: warmUp)
        self.start()
        let start = ContinuousClock.now
        try await Task.sleep(for: duration)
        while self.isEmpty, patience.map({ start.duration(to: .now) < $0 }) ?? true {
            try await Task.sleep(for: .milliseconds(10))
        }
        return self.stop()
    }

    private func start() {
        let began = (ContinuousClock.now, Self.processorTime)
        self.state.withLock {
            $0.report = BenchReport()
            $0.began = began
        }
    }

    /// No call was answered and none has failed since the start.
    private var isEmpty: Bool {
        self.state.withLock { $0.report.map { $0.calls == 0 && $0.failures.isEmpty } ?? true }
    }

    /// Calls that are not answered by now do not count.
    private func stop() -> ClientReport {
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
    private func repeating(from first: Int, _ call: (Int) async throws -> Void) async {
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

    /// Something that took as long.
    func record(_ latency: Duration) {
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
