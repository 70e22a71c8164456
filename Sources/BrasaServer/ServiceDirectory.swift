import BrasaGRPC
import BrasaGRPCDoor
import BrasaHTTP
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaService
import BrasaWire
import Logging
import NIOCore

/// What answers on each event loop: the services, and the doors to them. Made once before the first connection; only read
/// afterwards.
struct ServiceDirectory: Sendable {
    /// Another protocol is another door here.
    struct Doors: Sendable {
        let grpc: GRPCServer
        let http: HTTPDoor

        /// Chooses the door of each request of one HTTP/2 connection.
        func acceptor(on channel: any Channel) -> HTTP2Acceptor {
            self.grpc.acceptor(on: channel.eventLoop, peer: channel.remoteAddress, otherwise: self.http.acceptor)
        }
    }

    let health: ServingStatuses
    let observation: Observation
    /// Of all connections.
    let budget: ByteBudget
    let refusals: ConnectionRefusals
    let connectionCount = ConnectionCount()
    let connectionLog: ConnectionLog
    /// How long a client may take, to send as to read.
    let receiveTimeMax: TimeAmount
    private let entries: [ObjectIdentifier: Doors]

    init(
        _ configuration: ServerConfiguration,
        group: any EventLoopGroup,
        engine: Engine,
        observation: Observation = Observation(),
        logger: Logger
    ) throws {
        var limits = GRPCServerLimits()
        limits.receiveTimeMax = .init(configuration.receiveTimeMax)
        limits.requestBytesMax = configuration.requestBytesMax
        // Nothing checks who calls yet.
        let reception = Reception.open
        let health = ServingStatuses(serving: [FirestoreMethods.service, AdminMethods.service])
        let reflection = ReflectionService(try FileDescription.files(inSet: FirestoreDescriptors.fileSet))
        let admin = AdminService(store: engine.store)
        let budget = ByteBudget(bytesMax: configuration.connectionBytesMax)
        let refusals = ConnectionRefusals { logger.warning("\($0.text)") }
        let callLog = CallLog(logger)
        let connectionLog = ConnectionLog(logger)
        let metrics = MetricsSource(
            engine: engine,
            budget: budget,
            refusals: refusals,
            connections: self.connectionCount,
            endings: connectionLog
        )
        var entries: [ObjectIdentifier: Doors] = [:]
        for eventLoop in group.makeIterator() {
            let firestore = engine.makeService(on: eventLoop)
            var grpc = GRPCDoor()
            grpc.add(firestore)
            grpc.add(admin)
            grpc.add(HealthService(health, on: eventLoop))
            grpc.add(reflection)
            let router = PlainEndpoints.router(
                emulator: configuration.emulator,
                service: firestore,
                observation: observation,
                hasMetrics: configuration.metricsListen == nil
            )
            let server = GRPCServer(
                methods: grpc.methods,
                limits: limits,
                gate: grpc.gate(reception),
                observer: callLog.observer(slowMin: configuration.slowCall, caller: grpc.callerOf)
            )
            metrics.add(server)
            entries[ObjectIdentifier(eventLoop)] = Doors(
                grpc: server,
                http: HTTPDoor(router, reception, receiveTimeMax: limits.receiveTimeMax)
            )
        }
        observation.provide(metrics)
        self.connectionLog = connectionLog
        self.observation = observation
        self.budget = budget
        self.refusals = refusals
        self.receiveTimeMax = limits.receiveTimeMax
        self.health = health
        self.entries = entries
    }

    /// - Precondition: the loop is one of the group's.
    func doors(on eventLoop: any EventLoop) -> Doors {
        guard let doors = self.entries[ObjectIdentifier(eventLoop)] else {
            preconditionFailure("a connection on a loop that is not the server's")
        }
        return doors
    }

    /// Tells who asks for the server's health that it is about to end.
    func announceShutdown() {
        self.observation.become(.draining)
        self.health.setAll(.notServing)
    }
}
