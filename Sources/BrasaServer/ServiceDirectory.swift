import BrasaGRPC
import BrasaGRPCDoor
import BrasaHTTP2
import BrasaIdentity
import BrasaService
import BrasaWire
import NIOCore

/// What answers calls on each event loop. Made once before the first connection; only read afterwards.
struct ServiceDirectory: Sendable {
    struct Entry: Sendable {
        let firestore: FirestoreService
        let grpc: GRPCServer
    }

    let health: HealthService
    /// Of all connections.
    let budget: ByteBudget
    /// How long a client may take, to send as to read.
    let receiveTimeMax: TimeAmount
    private let entries: [ObjectIdentifier: Entry]
    private let engine: Engine

    init(_ configuration: ServerConfiguration, group: any EventLoopGroup, engine: Engine) throws {
        var limits = GRPCServerLimits()
        limits.receiveTimeMax = .init(configuration.receiveTimeMax)
        limits.requestBytesMax = configuration.requestBytesMax
        let health = HealthService(statuses: [
            "": .serving, FirestoreMethods.service: .serving, AdminMethods.service: .serving,
        ])
        let reflection = try ReflectionService(fileDescriptorSets: [FirestoreDescriptors.fileSet])
        let admin = AdminService(store: engine.store)
        // Nothing checks who calls yet.
        let reception = Reception.open
        var entries: [ObjectIdentifier: Entry] = [:]
        for eventLoop in group.makeIterator() {
            let service = engine.makeService(on: eventLoop)
            var door = GRPCDoor(reception)
            door.add(service)
            door.add(admin)
            var methods = door.methods
            health.register(in: &methods)
            reflection.register(in: &methods)
            let grpc = GRPCServer(methods: methods, limits: limits, gate: door.gate)
            entries[ObjectIdentifier(eventLoop)] = Entry(firestore: service, grpc: grpc)
        }
        self.engine = engine
        self.budget = ByteBudget(bytesMax: configuration.connectionBytesMax)
        self.receiveTimeMax = limits.receiveTimeMax
        self.health = health
        self.entries = entries
    }

    /// - Precondition: the loop is one of the group's.
    func entry(on eventLoop: any EventLoop) -> Entry {
        guard let entry = self.entries[ObjectIdentifier(eventLoop)] else {
            preconditionFailure("a connection on a loop that is not the server's")
        }
        return entry
    }

    func metrics(_ refusals: ConnectionRefusals) -> Metrics {
        var metrics = self.engine.metrics
        metrics.addConnectionBytes(self.budget.drawnBytes)
        metrics.addRefusals(refusals)
        return metrics
    }

    /// Tells who asks for the server's health that it is about to end.
    func announceShutdown() {
        self.health.set(.notServing)
        self.health.set(.notServing, for: FirestoreMethods.service)
        self.health.set(.notServing, for: AdminMethods.service)
    }
}
