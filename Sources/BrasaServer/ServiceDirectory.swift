import BrasaGRPC
import BrasaGRPCDoor
import BrasaHTTP
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaService
import BrasaTreeSocket
import BrasaWire
import Logging
import NIOCore
import NIOHTTP1

/// What answers on each event loop: the services, and the doors to them. Made once before the first connection; only read
/// afterwards.
struct ServiceDirectory: Sendable {
    /// Another protocol is another door here.
    struct Doors: Sendable {
        fileprivate let grpc: GRPCServer
        fileprivate let door: GRPCDoor
        let router: HTTPRouter
        fileprivate let trees: TreeSocketDoor
        fileprivate let desk: TokenDesk
        fileprivate let admissions: LoopAdmissions
        fileprivate let receiveTimeMax: TimeAmount

        /// Chooses the door of each request of one HTTP/2 connection.
        func acceptor(on channel: any Channel, for visitor: Visitor) -> HTTP2Acceptor {
            let reception = ConnectionDesk(self.desk, visitor, self.admissions, on: channel.eventLoop).reception
            return self.grpc.acceptor(
                on: channel.eventLoop,
                peer: channel.remoteAddress,
                gate: self.door.gate(reception),
                otherwise: self.http(reception, visitor).acceptor
            )
        }

        /// Of one connection of HTTP/1.1, and what it may become.
        func plain(
            on eventLoop: any EventLoop,
            for visitor: Visitor,
            budget: ByteBudget
        ) -> (door: HTTPDoor, upgrader: any HTTPServerProtocolUpgrader) {
            let reception = ConnectionDesk(self.desk, visitor, self.admissions, on: eventLoop).reception
            return (self.http(reception, visitor), self.trees.upgrader(reception, budget: budget))
        }

        private func http(_ reception: Reception, _ visitor: Visitor) -> HTTPDoor {
            HTTPDoor(
                self.router,
                reception,
                receiveTimeMax: self.receiveTimeMax,
                peer: visitor.address.bytes
            )
        }
    }

    /// How soon the streams of a key that is disabled or deleted, or of a token that has expired, are ended.
    private static let admissionsInterval: TimeAmount = .seconds(1)

    let health: ServingStatuses
    let observation: Observation
    /// Of all connections.
    let budget: ByteBudget
    let refusals: ConnectionRefusals
    let connectionCount = ConnectionCount()
    let connectionLog: ConnectionLog
    /// How long a client may take, to send as to read.
    let receiveTimeMax: TimeAmount
    private let polls: PollTable
    private let entries: [ObjectIdentifier: Doors]

    init(
        _ configuration: ServerConfiguration,
        group: any EventLoopGroup,
        engine: Engine,
        observation: Observation = Observation(),
        desk: TokenDesk,
        rules: RuleBook = RuleBook(),
        logger: Logger
    ) async throws {
        var limits = GRPCServerLimits()
        limits.receiveTimeMax = .init(configuration.receiveTimeMax)
        limits.requestBytesMax = configuration.requestBytesMax
        let health = ServingStatuses(serving: [FirestoreMethods.service, AdminMethods.service])
        let reflection = ReflectionService(try FileDescription.files(inSet: FirestoreDescriptors.fileSet))
        let admin = AdminService(store: engine.store)
        let budget = ByteBudget(bytesMax: configuration.connectionBytesMax)
        let refusals = ConnectionRefusals { logger.warning("\($0.text)") }
        let callLog = CallLog(logger)
        let connectionLog = ConnectionLog(logger)
        let polls = PollTable(
            budget,
            countMax: Self.pollsMax(configuration),
            countPerAddressMax: configuration.connectionsPerAddressMax
        )
        let metrics = MetricsSource(
            engine: engine,
            budget: budget,
            refusals: refusals,
            connections: self.connectionCount,
            endings: connectionLog,
            tokens: desk.refusals,
            callers: desk.shares.bounds,
            polls: polls
        )
        var entries: [ObjectIdentifier: Doors] = [:]
        for eventLoop in group.makeIterator() {
            let look = try await SocketLookPipe.open(on: eventLoop)
            let firestore = engine.makeService(on: eventLoop, look, rules: rules)
            var grpc = GRPCDoor()
            grpc.add(firestore)
            grpc.add(admin)
            grpc.add(HealthService(health, on: eventLoop))
            grpc.add(reflection)
            let trees = engine.makeTreeSocketDoor(on: eventLoop, look)
            let router = PlainEndpoints.router(
                emulator: configuration.emulator
                    ? EmulatorEndpoints(service: firestore, book: rules, desk: desk, logger: logger) : nil,
                trees: engine.makeTreeDoor(on: eventLoop, look),
                polls: TreePollDoor(trees, polls, on: eventLoop),
                tokens: TokenEndpoint(desk, on: eventLoop),
                observation: observation,
                hasMetrics: configuration.metricsListen == nil
            )
            let server = GRPCServer(
                methods: grpc.methods,
                limits: limits,
                observer: callLog.observer(slowMin: configuration.slowCall, caller: grpc.callerOf)
            )
            metrics.add(server)
            let doors = Doors(
                grpc: server,
                door: grpc,
                router: router,
                trees: trees,
                desk: desk,
                admissions: LoopAdmissions(),
                receiveTimeMax: limits.receiveTimeMax
            )
            entries[ObjectIdentifier(eventLoop)] = doors
            let interval = Self.admissionsInterval
            eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
                doors.door.endOutlived(doors.grpc, on: eventLoop)
                firestore.judgeListeners()
            }
        }
        observation.provide(metrics)
        self.connectionLog = connectionLog
        self.observation = observation
        self.budget = budget
        self.polls = polls
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

    /// Sessions of long polling are bounded as connections are, which they stand for.
    func takeUp(_ configuration: ServerConfiguration) {
        self.polls.setBounds(
            countMax: Self.pollsMax(configuration),
            countPerAddressMax: configuration.connectionsPerAddressMax
        )
    }

    private static func pollsMax(_ configuration: ServerConfiguration) -> Int {
        FileDescriptorLimit.connectionsMax(asked: configuration.connectionsMax, allowed: .max)
    }

    /// Tells who asks for the server's health that it is about to end, and sends away those who have no connection of their own.
    func announceShutdown() {
        self.observation.become(.draining)
        self.health.setAll(.notServing)
        self.polls.drain()
    }
}
