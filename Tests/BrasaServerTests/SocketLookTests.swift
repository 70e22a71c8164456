import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaService
import BrasaWire
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import BrasaServer

/// Whatever a loop is busy with, its connections are served.
@Suite struct SocketLookTests {
    /// Takes turn after turn until something has come by a socket of the loop.
    private final class Chain: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = ByteBuffer

        private static let turnsMax = 500
        private let turns: LoopTurns
        private let done: EventLoopPromise<Bool>
        private var hasRead = false

        init(_ turns: LoopTurns, on eventLoop: any EventLoop) {
            self.turns = turns
            self.done = eventLoop.makePromise()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.hasRead = true
            context.fireChannelRead(data)
        }

        /// Whether the socket was read before a bounded number of turns was over.
        func run() -> EventLoopFuture<Bool> {
            self.turn(1)
            return self.done.futureResult
        }

        private func turn(_ number: Int) {
            Self.work(for: .milliseconds(2))
            if self.hasRead || number == Self.turnsMax { return self.done.succeed(self.hasRead) }
            self.turns.next { self.turn(number + 1) }
        }

        static func work(for time: TimeAmount) {
            let start = NIODeadline.now()
            while NIODeadline.now() - start < time {}
        }
    }

    /// Never has enough.
    private final class Held: Sendable {
        func turn(in turns: LoopTurns) {
            Chain.work(for: .microseconds(10))
            turns.next { self.turn(in: turns) }
        }
    }

    /// Tasks that have nothing to do with turns, from another thread: a third of the loop's time.
    private final class OtherWork: Sendable {
        private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        private let task: RepeatedTask

        init(on eventLoop: any EventLoop) {
            self.task = self.group.next().scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(500)) { _ in
                eventLoop.execute { Chain.work(for: .microseconds(160)) }
            }
        }

        func stop() async throws {
            self.task.cancel()
            try await self.group.shutdownGracefully()
        }
    }

    @Test(arguments: [1, 3], [false, true])
    func `sockets are read while calls take one turn after the other`(_ chains: Int, _ hasOthers: Bool) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let (loop, other) = (group.next(), group.next())
        let turns = LoopTurns(loop, try await SocketLookPipe.open(on: loop))
        let others = hasOthers ? OtherWork(on: loop) : nil
        let accepted = loop.makePromise(of: (any Channel).self)
        let server = try await ServerBootstrap(group: loop, childGroup: loop)
            .childChannelInitializer { channel in
                accepted.succeed(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: other).connect(to: address).get()
        let child = try await accepted.futureResult.get()
        let handlers = (0..<chains).map { _ in Chain(turns, on: loop) }
        let results = try await loop.flatSubmit {
            let added = handlers.map { child.pipeline.addHandler($0) }
            return EventLoopFuture.andAllSucceed(added, on: loop).flatMap {
                let results = EventLoopFuture.whenAllSucceed(handlers.map { $0.run() }, on: loop)
                client.writeAndFlush(ByteBuffer(string: "hello"), promise: nil)
                return results
            }
        }.get()
        #expect(results == Array(repeating: true, count: chains))
        try await others?.stop()
        try await client.close()
        try await server.close()
        try await group.shutdownGracefully()
    }

    @Test func `what waits for a look hears of the loop's end, and turns that are left are let go of`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let look = try await SocketLookPipe.open(on: loop)
        let turns = LoopTurns(loop, look)
        weak let held = try await loop.submit {
            let held = Held()
            for _ in 0..<3 { held.turn(in: turns) }
            return held
        }.get()
        #expect(held != nil)
        try await group.shutdownGracefully()
        #expect(held == nil)
    }

    // MARK: The whole server

    enum LongWork: CaseIterable {
        /// Queries that pass over everything.
        case queries
        /// Reads of many documents that rules are asked about.
        case judgedReads

        /// At a time.
        var calls: Int {
            switch self {
            case .queries: 16
            case .judgedReads: 2
            }
        }
    }

    private static let database = "projects/p/databases/(default)"
    private static let documents = 3_000

    private static let rules = """
        rules_version = '2';
        service cloud.firestore { match /databases/{database}/documents {
          match /c/{id} { allow get, write: if request.auth == null && id.size() > 0; allow list; }
        } }
        """

    private static func name(_ number: Int) throws -> DocumentName {
        try DocumentName(parsing: "\(Self.database)/documents/c/\(number)".utf8)
    }

    private static func store(_ client: Client) async throws {
        let database = try DatabaseName(parsing: Self.database.utf8)
        for start in stride(from: 0, to: Self.documents, by: 500) {
            let writes = try (start..<start + 500).map {
                Write(name: try Self.name($0), operation: .set(EncodedFields.empty))
            }
            let request = CommitRequest(database: database, writes: writes)
            let _: CommitResponse = try await client.unary { $0.commit(request, completion: $1) }
        }
    }

    /// To its end.
    private static func carryOut(_ work: LongWork, _ client: Client) async throws {
        switch work {
        case .queries:
            let parent = try ParentName(parsing: "\(Self.database)/documents".utf8)
            var query = StructuredQuery(from: [.init(collectionID: "c")])
            query.offset = Int32(Self.documents - 1)
            let request = RunQueryRequest(parent: parent, query: query)
            _ = try await client.stream { $0.runQuery(request, received: $1, finished: $2) }
        case .judgedReads:
            let request = BatchGetDocumentsRequest(
                database: try DatabaseName(parsing: Self.database.utf8),
                documents: try (0..<Self.documents / 2).map { try Self.name($0) }
            )
            _ = try await client.stream { $0.batchGetDocuments(request, received: $1, finished: $2) }
        }
    }

    @Test(arguments: LongWork.allCases)
    func `small calls on other connections are answered between the turns of long work, whatever tasks the loop has`(
        _ work: LongWork
    ) async throws {
        let folder = try TemporaryFolder()
        let rules = folder.path + "/rules"
        try Data(Self.rules.utf8).write(to: URL(filePath: rules))
        let server = try await RunningServer(
            RunningServer.configuration {
                $0.threads = 1
                $0.rulesFile = rules
            }
        )
        let (long, small) = (try await server.connect(), try await server.connect())
        try await Self.store(long)
        let others = OtherWork(on: server.group.next())
        let isOver = NIOLockedValueBox(false)
        let answered = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<work.calls { group.addTask { try await Self.carryOut(work, long) } }
                    try await group.waitForAll()
                }
                isOver.withLockedValue { $0 = true }
            }
            var answered = 0
            let request = GetDocumentRequest(name: try Self.name(1))
            while !isOver.withLockedValue({ $0 }) {
                let _: NamedDocument = try await small.unary { $0.getDocument(request, completion: $1) }
                answered += 1
            }
            try await group.waitForAll()
            return answered
        }
        // One may come before all of it, and one that was asked for meanwhile after it.
        #expect(answered >= 8, "\(answered)")
        try await others.stop()
        try await server.stop()
    }
}
