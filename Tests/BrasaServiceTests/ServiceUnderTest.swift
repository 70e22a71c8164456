import BrasaDocuments
import BrasaGRPC
import BrasaGRPCDoor
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaPlatform
import BrasaSimulation
import BrasaWatch
import BrasaWire
import CBrasaAllocations
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService
@testable import BrasaStore

/// A client and the service back to back on one embedded loop, over an engine on simulated hardware: nothing moves until
/// `run`, and time passes only when it is told to.
final class ServiceUnderTest {
    let engine: SimulatedServer
    let service: FirestoreService
    let watcher: Watcher
    let stub: FirestoreClientStub
    let admin: AdminClientStub
    let grpc: GRPCClientConnection
    let health = ServingStatuses()
    let loop = EmbeddedEventLoop()
    let look: LoopLook
    let mailbox: LoopMailbox
    /// While false, what the server sends stays on the way.
    var isClientReading = true
    let client: EmbeddedChannel
    let server: EmbeddedChannel

    /// In case a call waits for its client.
    private static let turnsMax = 5_000

    static let database: DatabaseName = {
        guard let name = try? DatabaseName(project: "p", database: "(default)") else {
            preconditionFailure("the name of two ids is well formed")
        }
        return name
    }()

    /// What the server does once a second.
    let endOutlived: () -> Void
    let countWatched: () -> Int

    init(
        window: Int = 1 << 20,
        unreadBytesMax: Int = 64 << 20,
        budget: ByteBudget? = nil,
        disk: SimulatedDisk = SimulatedDisk(seed: 1),
        store: Store.Configuration = SimulatedServer.smallStore,
        watch: WatchConfiguration = WatchConfiguration(),
        writeStreams: WriteStreamTable.Bounds = .init(),
        reception: Reception = .open,
        rules: RuleBook = RuleBook(),
        reflection: [FileDescription] = [],
        seed: UInt64 = 1
    ) throws {
        let watcher = Box<Watcher?>(nil)
        let clock = SimulatedClock()
        let streams = WriteStreamTable(
            clock: clock.clock,
            entropy: .seeded(seed &+ 7),
            archive: .protobuf,
            bounds: writeStreams
        )
        self.engine = try SimulatedServer(
            seed: seed,
            disk: disk,
            clock: clock,
            store: store,
            receiptKeeper: streams,
            onDurable: { _ in watcher.value?.wake() }
        )
        let (look, mailbox) = (LoopLook(self.loop), LoopMailbox(self.loop))
        (self.look, self.mailbox) = (look, mailbox)
        self.watcher = Watcher(
            store: self.engine.store,
            mailbox: mailbox,
            clock: self.engine.clock.clock,
            configuration: watch
        )
        watcher.value = self.watcher
        self.service = FirestoreService(
            store: self.engine.store,
            transactions: self.engine.transactions,
            mailbox: mailbox,
            eventLoop: self.loop,
            look: look,
            entropy: .seeded(7),
            watcher: self.watcher,
            writeStreams: streams,
            rules: rules
        )
        var door = GRPCDoor()
        door.add(self.service)
        door.add(AdminService(store: self.engine.store))
        door.add(HealthService(self.health, on: self.loop))
        door.add(ReflectionService(reflection))
        let server = GRPCServer(methods: door.methods)
        let acceptor = server.acceptor(on: self.loop, gate: door.gate(reception))
        let loop = self.loop
        self.endOutlived = { [door] in door.endOutlived(server, on: loop) }
        self.countWatched = {
            var count = 0
            server.forEachWatched(on: loop) { _ in count += 1 }
            return count
        }
        var configuration = HTTP2ClientConfiguration()
        configuration.limits.streamWindowBytes = window
        let connection = HTTP2Connection(role: .client(configuration))
        var serverConfiguration = HTTP2ServerConfiguration()
        serverConfiguration.limits.connectionUnreadBytesMax = unreadBytesMax
        serverConfiguration.budget = budget
        self.client = EmbeddedChannel(loop: self.loop)
        self.server = EmbeddedChannel(loop: self.loop)
        try self.client.pipeline.syncOperations.addHandler(connection)
        try self.server.pipeline.syncOperations.addHandler(
            HTTP2Connection(role: .server(serverConfiguration, acceptor: acceptor))
        )
        let grpc = GRPCClientConnection(connection, eventLoop: self.loop, configuration: .init(authority: "test"))
        self.stub = FirestoreClientStub(grpc)
        self.grpc = grpc
        self.admin = AdminClientStub(grpc)
        let address = try SocketAddress(unixDomainSocketPath: "/link")
        self.client.connect(to: address, promise: nil)
        self.server.connect(to: address, promise: nil)
        try self.run()
    }

    /// Carries bytes in both directions and runs the engine until nothing moves.
    func run() throws {
        var moved = true
        while moved {
            moved = self.engine.store.step()
            self.loop.run()
            // What a later turn of the loop has handed over.
            if self.engine.store.step() { moved = true }
            for (source, target) in [(self.client, self.server), (self.server, self.client)] {
                guard self.isClientReading || source === self.client else { continue }
                while let bytes = try source.readOutbound(as: ByteBuffer.self) {
                    moved = true
                    try target.writeInbound(ByteBuffer(bytes: bytes.readableBytesView))
                }
            }
        }
    }

    func carryToServer() throws {
        while let bytes = try self.client.readOutbound(as: ByteBuffer.self) {
            try self.server.writeInbound(ByteBuffer(bytes: bytes.readableBytesView))
        }
    }

    /// Makes a commit and carries everything to its end; what the server allocates from the time at which it is durable until
    /// all who listen to it have been sent it.
    func allocationsToTell(_ write: Write) throws -> Int {
        try self.begin(write: write)
        self.loop.run()
        try self.carryToServer()
        self.loop.run()
        while self.engine.store.step() {}
        brasa_allocations_begin()
        self.loop.run()
        let count = brasa_allocations_end()
        try self.run()
        return count
    }

    /// Counts the turns that other work gets on the loop while a call of the server's keeps a snapshot. `work` is done in
    /// each of them, and what the client sends arrives; what the server sends does not yet.
    func countTurns(_ work: @escaping (Int) throws -> Void = { _ in }) throws -> Int {
        self.loop.run()
        let turns = Turns(on: self.loop) { turn in
            try work(turn)
            try self.carryToServer()
            return self.engine.store.statistics.snapshotPins > 0 && turn < Self.turnsMax
        }
        try self.carryToServer()
        turns.next()
        self.loop.run()
        try turns.failure.map { throw $0 }
        return turns.count
    }

    /// The same as `run`, but what the client has sent arrives between two turns of the loop, and not behind all of them.
    func runArriving() throws {
        let turns = Turns(on: self.loop) { turn in
            try self.carryToServer()
            return turn < 20
        }
        turns.next()
        self.loop.run()
        try turns.failure.map { throw $0 }
        try self.run()
    }

    /// Carries what lies ready once in each direction; returns how many bytes that was.
    func runOnce() throws -> Int {
        _ = self.engine.store.step()
        self.loop.run()
        var count = 0
        for (source, target) in [(self.client, self.server), (self.server, self.client)] {
            var buffers: [ByteBuffer] = []
            while let bytes = try source.readOutbound(as: ByteBuffer.self) { buffers.append(bytes) }
            for bytes in buffers {
                count += bytes.readableBytes
                try target.writeInbound(ByteBuffer(bytes: bytes.readableBytesView))
            }
        }
        return count
    }

    /// Makes a commit without waiting for its answer.
    func begin(write: Write) throws {
        let request = CommitRequest(database: Self.database, writes: [write])
        let _: Answer<CommitResponse> = try self.start { $0.commit(request, completion: $1) }
    }

    /// Time passes everywhere.
    func advance(microseconds: Int64) throws {
        self.engine.clock.advance(microseconds: microseconds)
        self.loop.advanceTime(by: .microseconds(microseconds))
        self.watcher.tick()
        try self.run()
    }

    /// The server stops taking calls, and asks those in progress to end.
    func drain() {
        let connection = try? self.server.pipeline.syncOperations.handler(type: HTTP2Connection.self)
        connection?.drain(grace: .seconds(10))
    }

    var isServerOpen: Bool { self.server.isActive }

    func close() {
        _ = try? self.client.finish(acceptAlreadyClosed: true)
        _ = try? self.server.finish(acceptAlreadyClosed: true)
    }

    // MARK: Calls

    /// What a unary call was answered with, once nothing moves any more.
    func answer<Response>(
        _ call: (FirestoreClientStub, @escaping (Result<Response, GRPCCallResult>) -> Void) -> GRPCClientCall
    ) throws -> Answer<Response> {
        let answer = try self.start(call)
        try self.run()
        return answer
    }

    /// Makes a unary call without waiting for its answer.
    func start<Response>(
        _ call: (FirestoreClientStub, @escaping (Result<Response, GRPCCallResult>) -> Void) -> GRPCClientCall
    ) throws -> Answer<Response> {
        let answer = Answer<Response>()
        answer.call = call(self.stub) { result in answer.results.append(result.mapError(\.status)) }
        return answer
    }

    /// All messages of a streaming call, and its status.
    func stream<Response>(
        _ call: (FirestoreClientStub, @escaping (Response) -> Void, @escaping (GRPCCallResult) -> Void) ->
            GRPCClientCall
    ) throws -> Stream<Response> {
        let stream = Stream<Response>()
        stream.call = call(self.stub, { stream.messages.append($0) }, { stream.status = $0.status })
        try self.run()
        return stream
    }

    final class Answer<Response> {
        fileprivate(set) var results: [Result<Response, GRPCStatus>] = []
        fileprivate(set) var call: GRPCClientCall?

        func get() throws -> Response { try #require(self.results.first).get() }

        var status: GRPCStatus? {
            switch self.results.first {
            case .success: .ok
            case .failure(let status): status
            case nil: nil
            }
        }
    }

    final class Stream<Response> {
        fileprivate(set) var messages: [Response] = []
        fileprivate(set) var status: GRPCStatus?
        fileprivate(set) var call: GRPCClientCall?
    }
}

/// Work that is done once in each turn of the loop, as long as it says so. Unchecked: tests stay on one thread.
private final class Turns: @unchecked Sendable {
    private(set) var count = 0
    private(set) var failure: (any Error)?
    private let loop: EmbeddedEventLoop
    private let work: (Int) throws -> Bool

    init(on loop: EmbeddedEventLoop, work: @escaping (Int) throws -> Bool) {
        self.loop = loop
        self.work = work
    }

    func next() {
        self.count += 1
        do {
            guard try self.work(self.count) else { return }
            self.loop.execute { self.next() }
        } catch {
            self.failure = error
        }
    }
}

/// Delivers on an embedded loop. Unchecked: tests stay on one thread.
final class LoopMailbox: Mailbox, @unchecked Sendable {
    private(set) var turnCount = 0
    private let loop: EmbeddedEventLoop

    init(_ loop: EmbeddedEventLoop) {
        self.loop = loop
    }

    func post(_ work: @escaping @Sendable () -> Void) {
        self.loop.execute(work)
    }

    func postTurn(_ turn: @escaping @Sendable () -> Void) {
        self.turnCount += 1
        self.post(turn)
    }
}

/// An embedded loop has no sockets to look at. Unchecked: tests stay on one thread.
final class LoopLook: SocketLook, @unchecked Sendable {
    var hasEnded = false
    /// While true, none happens by itself.
    var isHeld = false
    private(set) var count = 0
    private var waiting: [() -> Void] = []
    private let loop: EmbeddedEventLoop

    init(_ loop: EmbeddedEventLoop) {
        self.loop = loop
    }

    func next(_ then: @escaping () -> Void) {
        self.count += 1
        self.waiting.append(then)
        if !self.isHeld { self.loop.execute { self.happens() } }
    }

    func happens() {
        let waiting = self.waiting
        self.waiting = []
        for then in waiting { then() }
    }
}

// MARK: Shorthand

func name(_ path: String) throws -> DocumentName {
    try DocumentName(parsing: "projects/p/databases/(default)/documents/\(path)".utf8)
}

func parent(_ path: String = "") throws -> ParentName {
    try ParentName(parsing: "projects/p/databases/(default)/documents\(path.isEmpty ? "" : "/" + path)".utf8)
}

func fields(_ entries: [(String, Value)]) -> EncodedFields {
    EncodedFields(encoding: entries.map { Value.MapEntry(key: UTF8Text($0.0), value: $0.1) })
}

func set(_ path: String, _ entries: [(String, Value)] = []) throws -> Write {
    Write(name: try name(path), operation: .set(fields(entries)))
}
