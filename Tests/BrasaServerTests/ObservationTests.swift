import BrasaHTTP
import BrasaOptions
import NIOCore
import NIOPosix
import Testing

@testable import BrasaServer

/// What probes are told.
@Suite struct ObservationTests {
    @Test func `Ready is who has read its data, whose log works, and who does not drain`() {
        let observation = Observation()
        #expect(observation.readiness.status == 503 && observation.readiness.body.hasPrefix("starting"))
        #expect(observation.metrics.status == 503)
        observation.become(.ready)
        #expect(observation.readiness.status == 200 && observation.readiness.body == "ready\n")
        observation.become(.draining)
        #expect(observation.readiness.status == 503 && observation.readiness.body.hasPrefix("draining"))
        #expect(observation.liveness.status == 200)
    }

    @Test(arguments: [
        ([Observation.Phase.failed, .ready], Observation.Phase.failed), ([.failed, .draining], .failed),
        ([.draining, .ready], .draining), ([.ready, .starting], .ready), ([.ready, .failed], .failed),
        ([.draining, .failed], .failed),
    ])
    func `Nothing makes it ready again`(_ phases: [Observation.Phase], _ expected: Observation.Phase) {
        let observation = Observation()
        for phase in phases { observation.become(phase) }
        #expect(observation.phase == expected)
    }

    @Test func `A server is live and ready, and draining on the same port before it goes`() async throws {
        let server = try await RunningServer()
        #expect(try await self.status(server, "/livez") == 200)
        server.services.observation.become(.ready)
        #expect(try await self.status(server, "/readyz") == 200)
        #expect(try await HealthProbe.ask(server.listener.address, "/readyz") == "ready")
        server.services.announceShutdown()
        #expect(try await self.status(server, "/readyz") == 503)
        #expect(try await self.status(server, "/livez") == 200)
        await #expect(throws: StartError("draining: calls in flight are being finished")) {
            try await HealthProbe.ask(server.listener.address, "/readyz")
        }
        try await server.stop()
    }

    private func status(_ server: RunningServer, _ path: String) async throws -> Int? {
        let answer = try await server.exchange("GET \(path) HTTP/1.1\r\nconnection: close\r\n\r\n")
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    @Test func `An address of its own serves probes before there is data, then metrics, and no documents`() async throws
    {
        let observation = Observation()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let address = ListenAddress(host: "127.0.0.1", port: 0)
        let listener = try await ObservationListener.bind(address, observation, group: group)
        #expect(try await HealthProbe.ask(listener.address, "/livez") == "live")
        await #expect(throws: StartError("starting: the data folder is being read")) {
            try await HealthProbe.ask(listener.address, "/readyz")
        }
        await #expect(throws: StartError.self) { try await HealthProbe.ask(listener.address, "/") }
        await #expect(throws: StartError.self) {
            try await ObservationListener.bind(listener.address, observation, group: group)
        }
        let closed = listener.address
        await listener.close()
        await #expect(throws: StartError.self) { try await HealthProbe.ask(closed, "/livez") }
        try await group.shutdownGracefully()
    }

    @Test func `One peer takes no more than its part of the places at that address`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bound = ListenAddress(host: "127.0.0.1", port: 0)
        let listener = try await ObservationListener.bind(bound, Observation(), group: group)
        let address = listener.address
        func connect() async throws -> any Channel {
            try await ClientBootstrap(group: group).connect(host: address.host, port: address.port).get()
        }
        var channels: [any Channel] = []
        for _ in 0..<ObservationListener.connectionsPerAddressMax { channels.append(try await connect()) }
        await #expect(throws: StartError.self) { try await HealthProbe.ask(address, "/livez") }
        let openCount = channels.count { $0.isActive }
        #expect(openCount == ObservationListener.connectionsPerAddressMax)
        for channel in channels { channel.close(promise: nil) }
        await listener.close()
        try await group.shutdownGracefully()
    }

    @Test func `With an address of their own the metrics are not on the other one`() async throws {
        let server = try await RunningServer(
            RunningServer.configuration { $0.metricsListen = ListenAddress(host: "127.0.0.1", port: 0) }
        )
        #expect(try await self.status(server, "/metrics") == 404)
        #expect(try await self.status(server, "/livez") == 200)
        try await server.stop()
    }
}
