import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import BrasaWire
import Histogram
import NIOCore
import NIOPosix

/// Keeps one connection busy according to the plan. Everything happens on its event loop.
///
/// Unchecked for the same reason: other threads only pass the reference on.
final class BenchConnection: @unchecked Sendable {
    private let plan: BenchPlan
    private let workload: BenchWorkload
    private let grpc: GRPCClientConnection
    private let channel: any Channel
    private let getRequest: GRPCClientRequest
    private let commitRequest: GRPCClientRequest
    private let queryRequest: GRPCClientRequest
    private let stub: FirestoreClientStub
    private var generator = QuickRandom()
    private var number: Int
    /// Calls that may still be made.
    private var remaining: Int
    private var inFlight = 0
    private var report = BenchReport()
    private var isRecording = false
    private var isStopping = false
    private var stopped: EventLoopPromise<BenchReport>?
    /// Of the open loop: when the next call should start, and the time between two.
    private var nextStart = NIODeadline.now()
    private var interval: TimeAmount = .zero
    private var isTimerSet = false

    private init(plan: BenchPlan, workload: BenchWorkload, grpc: GRPCClientConnection, channel: any Channel, index: Int)
    {
        self.plan = plan
        self.workload = workload
        self.grpc = grpc
        self.channel = channel
        var (get, commit) = (BenchWorkload.get, BenchWorkload.commit)
        var metadata = plan.token.map { GRPCMetadata(headers: HTTP2Headers([(.authorization, "Bearer \($0)")])) }
        if case .raw(let method, _) = plan.work { (get, commit, metadata) = (method, method, nil) }
        self.getRequest = grpc.request(get, metadata: metadata, timeout: .seconds(60))
        self.commitRequest = grpc.request(commit, metadata: metadata, timeout: .seconds(60))
        var query = FirestoreMethods.runQuery
        if case .query(let asked) = plan.work, asked.shape == .count { query = FirestoreMethods.runAggregationQuery }
        self.queryRequest = grpc.request(query, metadata: metadata, timeout: .seconds(60))
        self.stub = FirestoreClientStub(grpc, metadata: metadata, timeout: .seconds(60))
        self.number = index << 40
        self.remaining = plan.calls(on: index - 1)
    }

    static func open(
        plan: BenchPlan,
        workload: BenchWorkload,
        index: Int,
        group: MultiThreadedEventLoopGroup
    ) async throws -> BenchConnection {
        try await BenchChannel.open(
            host: plan.host,
            port: plan.port,
            security: plan.security,
            group: group,
            streamWindowBytes: 1 << 20
        ) {
            BenchConnection(plan: plan, workload: workload, grpc: $0, channel: $1, index: index)
        }
    }

    // MARK: Before the measurement

    private static let setUpInFlight = 8

    /// Writes the documents that gets will ask for, some commits at a time.
    func setUp() async throws {
        let commits = self.workload.setUpCommits
        for start in stride(from: 0, to: commits.count, by: Self.setUpInFlight) {
            let end = min(start + Self.setUpInFlight, commits.count)
            try await self.channel.eventLoop.flatSubmit {
                let calls = (start..<end).map { self.setUp(commits[$0]) }
                return EventLoopFuture.andAllSucceed(calls, on: self.channel.eventLoop)
            }.get()
        }
    }

    private func setUp(_ documents: Range<Int>) -> EventLoopFuture<Void> {
        let promise = self.channel.eventLoop.makePromise(of: Void.self)
        do {
            self.stub.commit(try self.workload.setUp(documents)) { result in
                promise.completeWith(result.map { _ in }.mapError { BenchError("set-up: \($0.status)") })
            }
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }

    private static let settlingMax = Duration.seconds(600)

    /// Asks until the server answers from an index, which it makes when it is first asked. Among very many documents the
    /// first queries' time is over before they are answered and before the index is built, which goes on without them.
    func settle() async throws {
        guard let queries = self.workload.queries else { return }
        let start = ContinuousClock.now
        while ContinuousClock.now - start < Self.settlingMax {
            let isSettled = try await self.channel.eventLoop.flatSubmit { self.askOnce(queries) }.get()
            if isSettled { return }
        }
        throw BenchError("the query has no index after \(Self.settlingMax)")
    }

    /// Whether a query looked at little more than it returned, or the server does not say how much it looked at.
    private func askOnce(_ queries: QueryWorkload) -> EventLoopFuture<Bool> {
        let promise = self.channel.eventLoop.makePromise(of: Bool.self)
        let call = queries.next(using: &self.generator)
        QueryCall(stub: self.stub).ask(call.request, explained: true) { result in
            switch result {
            case .failure(let failure) where failure.status.code == .deadlineExceeded: promise.succeed(false)
            case .failure(let failure): promise.fail(BenchError("set-up: \(failure.status)"))
            case .success(let answer): promise.succeed(answer.metrics?.examined.map { $0 <= 3 * call.answer } ?? true)
            }
        }
        return promise.futureResult
    }

    // MARK: The measurement

    func start() {
        self.channel.eventLoop.execute {
            switch self.plan.pace {
            case .closed, .counted:
                for _ in 0..<min(self.plan.streams, self.remaining) { self.call(startingAt: .now()) }
            case .open(let callsPerSecond):
                self.interval = .nanoseconds(Int64(1e9 * Double(self.plan.connections) / callsPerSecond))
                self.nextStart = .now()
                self.startDue()
            }
        }
    }

    func record() {
        self.channel.eventLoop.execute { self.isRecording = true }
    }

    /// Ends the recording at once, and completes when the calls in flight have been answered.
    func stop() -> EventLoopFuture<BenchReport> {
        self.channel.eventLoop.flatSubmit {
            self.isStopping = true
            self.isRecording = false
            let promise = self.channel.eventLoop.makePromise(of: BenchReport.self)
            self.stopped = promise
            self.finishIfIdle()
            return promise.futureResult
        }
    }

    /// Completes when all calls of a counted plan have been answered.
    func end() -> EventLoopFuture<BenchReport> {
        self.channel.eventLoop.flatSubmit {
            let promise = self.channel.eventLoop.makePromise(of: BenchReport.self)
            self.stopped = promise
            self.finishIfIdle()
            return promise.futureResult
        }
    }

    private func finishIfIdle() {
        guard self.isStopping || self.remaining == 0, self.inFlight == 0, let stopped = self.stopped else { return }
        self.stopped = nil
        stopped.succeed(self.report)
        self.channel.close(promise: nil)
    }

    /// Starts every call of the open loop whose time has come. Past the bound on calls in flight they wait, and the
    /// waiting counts.
    private func startDue() {
        guard !self.isStopping else { return }
        let now = NIODeadline.now()
        while self.nextStart <= now, self.inFlight < self.plan.streams {
            let start = self.nextStart
            self.nextStart = start + self.interval
            self.call(startingAt: start)
        }
        if self.nextStart > now {
            guard !self.isTimerSet else { return }
            self.isTimerSet = true
            self.channel.eventLoop.scheduleTask(deadline: self.nextStart) {
                self.isTimerSet = false
                self.startDue()
            }
        }
    }

    private func call(startingAt start: NIODeadline) {
        self.number += 1
        self.inFlight += 1
        self.remaining -= 1
        switch self.workload.next(number: self.number, using: &self.generator, on: self.grpc) {
        case .get(let message), .raw(let message):
            self.grpc.unary(self.getRequest, message) { self.ended($0.map { _ in }, startedAt: start) }
        case .commit(let message):
            self.grpc.unary(self.commitRequest, message) { self.ended($0.map { _ in }, startedAt: start) }
        case .query(let message, let expected):
            let answer = QueryAnswer(expected) { self.ended($0, startedAt: start) }
            self.grpc.serverStreaming(self.queryRequest, message, handler: answer)
        }
    }

    private func ended(_ result: Result<Void, GRPCCallResult>, startedAt start: NIODeadline) {
        self.inFlight -= 1
        let now = NIODeadline.now()
        self.record(result, after: now - start)
        if self.isStopping || self.remaining == 0 { return self.finishIfIdle() }
        switch self.plan.pace {
        case .closed, .counted: self.call(startingAt: now)
        case .open: if self.nextStart <= now { self.startDue() }
        }
    }

    private func record(_ result: Result<Void, GRPCCallResult>, after latency: TimeAmount) {
        if case .failure(let failure) = result {
            self.report.failures[failure.status.code, default: 0] += 1
            self.report.failureExample = self.report.failureExample ?? "\(failure.status)"
            // A connection that is gone or going fails every call at once: there is nothing left to measure on it.
            if failure.status.code == .unavailable { self.isStopping = true }
            return
        }
        guard self.isRecording else { return }
        _ = self.report.latencies.record(UInt64(max(0, latency.nanoseconds)))
    }
}
