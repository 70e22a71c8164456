internal import NIOCore
internal import Synchronization

/// `grpc.health.v1.Health`: what load balancers and readiness probes ask. Thread-safe.
package final class HealthService: Sendable {
    package static let check = GRPCMethodDescriptor(service: "grpc.health.v1.Health", method: "Check", kind: .unary)
    package static let watch = GRPCMethodDescriptor(
        service: "grpc.health.v1.Health",
        method: "Watch",
        kind: .serverStreaming
    )

    /// Names of services are far shorter.
    private static let requestBytesMax = 1 << 10
    /// What a watched name takes besides its bytes.
    private static let watchedNameBytes = 512

    private static let malformedRequest = GRPCStatus(.invalidArgument, "Malformed HealthCheckRequest")
    private static let unknownService = GRPCStatus(.notFound, "The service is unknown")

    private struct State {
        var statuses: [String: HealthStatus] = [:]
        /// Watch calls that are open, by service. Each is one HTTP/2 stream, which counts what its name takes.
        var watchers: [String: [ObjectIdentifier: HealthWatcher]] = [:]
    }

    private let state = Mutex(State())

    /// The empty name stands for the server as a whole.
    package init(statuses: [String: HealthStatus] = [:]) {
        self.state.withLock { $0.statuses = statuses }
    }

    package func register(in methods: inout GRPCMethodTable) {
        let bytesMax = Self.requestBytesMax
        methods.register(Self.check, messageBytesMax: bytesMax, .unary { self.check($0, $1) })
        methods.register(Self.watch, messageBytesMax: bytesMax, .serverStreaming { self.watch($0, $1) })
    }

    /// Watchers hear of it on their event loops. One that is slow misses what was true in between, never the latest.
    package func set(_ status: HealthStatus, for service: String = "") {
        let watchers = self.state.withLock { state in
            state.statuses[service] = status
            return state.watchers[service]?.values.map { $0 } ?? []
        }
        for watcher in watchers { watcher.wake() }
    }

    func status(of service: String) -> HealthStatus? {
        self.state.withLock { $0.statuses[service] }
    }

    func remove(_ watcher: HealthWatcher) {
        self.state.withLock { state in
            state.watchers[watcher.name]?[ObjectIdentifier(watcher)] = nil
            if state.watchers[watcher.name]?.isEmpty == true { state.watchers[watcher.name] = nil }
        }
    }

    private func check(_ call: GRPCServerCall, _ message: ByteBuffer) {
        guard let service = try? HealthMessages.service(ofRequest: Array(message.readableBytesView)) else {
            return call.finish(Self.malformedRequest)
        }
        guard let status = self.status(of: service) else { return call.finish(Self.unknownService) }
        var response = call.makeMessageBuffer(capacity: 2)
        response.writeBytes(HealthMessages.response(status))
        call.respond(response)
    }

    private func watch(_ call: GRPCServerCall, _ message: ByteBuffer) -> (any GRPCServerStreamHandler)? {
        guard let service = try? HealthMessages.service(ofRequest: Array(message.readableBytesView)) else {
            call.finish(Self.malformedRequest)
            return nil
        }
        guard call.hold(Self.watchedNameBytes) else { return nil }
        let watcher = HealthWatcher(name: service, call: call, service: self)
        self.state.withLock { $0.watchers[service, default: [:]][ObjectIdentifier(watcher)] = watcher }
        watcher.update()
        return watcher
    }
}

/// One Watch call. Unchecked, because all but `wake` happens on the call's event loop.
final class HealthWatcher: GRPCServerStreamHandler, @unchecked Sendable {
    private static let shuttingDown = GRPCStatus(.unavailable, "The server is shutting down")

    let name: String
    private let call: GRPCServerCall
    private let service: HealthService
    private var sent: HealthStatus?

    init(name: String, call: GRPCServerCall, service: HealthService) {
        self.name = name
        self.call = call
        self.service = service
    }

    /// From any thread.
    func wake() {
        self.call.eventLoop.execute { self.update() }
    }

    /// Sends the status if it is news, now or when there is room.
    func update() {
        guard !self.call.isFinished else { return }
        let status = self.service.status(of: self.name) ?? .serviceUnknown
        guard status != self.sent, self.call.isWritable else { return }
        self.sent = status
        var response = self.call.makeMessageBuffer(capacity: 2)
        response.writeBytes(HealthMessages.response(status))
        self.call.send(response)
    }

    func becameWritable() { self.update() }

    func cancelled() { self.service.remove(self) }

    func draining() {
        self.service.remove(self)
        self.call.finish(Self.shuttingDown)
    }
}
