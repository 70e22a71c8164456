package import BrasaMessages
import BrasaStatus
package import NIOCore

/// `grpc.health.v1.Health`: what load balancers and readiness probes ask, who show nothing of who they are. So it answers
/// everybody, and says nothing of what is stored. One for each event loop.
package struct HealthService: Sendable {
    /// What a watched name takes besides its bytes.
    private static let watchedNameBytes = 512

    private let statuses: ServingStatuses
    private let eventLoop: any EventLoop

    package init(_ statuses: ServingStatuses, on eventLoop: any EventLoop) {
        self.statuses = statuses
        self.eventLoop = eventLoop
    }

    package func check(_ request: HealthCheckRequest, for call: Call<HealthCheckResponse>) {
        guard let status = self.statuses.status(of: request.service) else {
            return call.finish(Status(.notFound, "The service is unknown"))
        }
        call.respond(HealthCheckResponse(status: status))
    }

    package func watch(_ request: HealthCheckRequest, for call: Call<HealthCheckResponse>) -> CallObserver? {
        guard call.hold(Self.watchedNameBytes) else { return nil }
        let watcher = HealthWatcher(request.service, call, self.statuses, on: self.eventLoop)
        self.statuses.add(watcher)
        watcher.update()
        return watcher
    }
}

/// One Watch call. Unchecked, because all but `wake` happens on the call's event loop.
final class HealthWatcher: CallObserver, @unchecked Sendable {
    let name: String
    private let call: Call<HealthCheckResponse>
    private let statuses: ServingStatuses
    private let eventLoop: any EventLoop
    private var sent: ServingStatus?

    init(
        _ name: String,
        _ call: Call<HealthCheckResponse>,
        _ statuses: ServingStatuses,
        on eventLoop: any EventLoop
    ) {
        self.name = name
        self.call = call
        self.statuses = statuses
        self.eventLoop = eventLoop
    }

    /// From any thread.
    func wake() {
        self.eventLoop.execute { self.update() }
    }

    /// Sends the status if it is news, now or when there is room.
    func update() {
        guard !self.call.isFinished else { return }
        let status = self.statuses.status(of: self.name) ?? .serviceUnknown
        guard status != self.sent, self.call.isWritable else { return }
        self.sent = status
        self.call.send(HealthCheckResponse(status: status))
    }

    override func becameWritable() { self.update() }

    override func cancelled() { self.statuses.remove(self) }

    override func draining() {
        self.statuses.remove(self)
        self.call.finish(.shuttingDown)
    }
}
