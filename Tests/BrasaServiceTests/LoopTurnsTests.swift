import BrasaDocuments
import BrasaGRPC
import BrasaIdentity
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaWatch
import BrasaWire
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaService

struct LoopTurnsTests {
    private let loop = EmbeddedEventLoop()

    @Test func `turns come in the order in which they were asked for, and what they ask for comes after the others`() {
        let turns = LoopTurns(self.loop, LoopLook(self.loop))
        var order: [String] = []
        turns.next {
            order.append("a1")
            turns.next { order.append("a2") }
        }
        turns.next { order.append("b1") }
        turns.next { order.append("c1") }
        #expect(order == [])
        self.loop.run()
        #expect(order == ["a1", "b1", "c1", "a2"])
        turns.next { order.append("d") }
        self.loop.run()
        #expect(order.last == "d")
    }

    @Test func `turns that took long wait until the loop has looked at its sockets`() {
        let look = LoopLook(self.loop)
        look.isHeld = true
        let turns = LoopTurns(self.loop, look)
        var count = 0
        for _ in 0..<3 {
            turns.next {
                count += 1
                self.loop.advanceTime(by: LoopTurns.most)
            }
        }
        for expected in 1...3 {
            self.loop.run()
            self.loop.advanceTime(by: .seconds(1))
            #expect(count == expected && look.count == min(expected, 2))
            look.happens()
        }
    }

    @Test func `turns that the loop's end leaves are let go of, and new ones are not kept`() {
        let look = LoopLook(self.loop)
        let turns = LoopTurns(self.loop, look)
        weak var early: Box<Int>?
        weak var late: Box<Int>?
        do {
            let (first, second) = (Box(0), Box(0))
            (early, late) = (first, second)
            turns.next { first.value += 1 }
            look.hasEnded = true
            turns.next { second.value += 1 }
        }
        #expect(early != nil && late == nil)
        self.loop.run()
        #expect(early == nil)
    }

    // MARK: Who takes them

    /// A call that takes turns takes none when the loop has ended; one that submitted tasks would go on.
    private func isLeft<Response>(
        _ ruled: RuledService,
        _ start: (ServiceUnderTest) throws -> ServiceUnderTest.Answer<Response>
    ) throws -> Bool {
        let answer = try start(ruled.service)
        ruled.service.look.hasEnded = true
        try ruled.service.run()
        return answer.results.isEmpty
    }

    private static func ruled() throws -> RuledService {
        let ruled = try RuledService("match /c/{id} { allow read, write; }")
        ruled.caller = user("ann")
        return ruled
    }

    @Test(arguments: [(1, false), (300, true)])
    func `a judged commit of many documents goes on in turns`(_ count: Int, _ isLong: Bool) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let writes = try (0..<count).map { try set("c/\($0)") }
        let isLeft = try self.isLeft(ruled) { service -> ServiceUnderTest.Answer<CommitResponse> in
            let request = CommitRequest(database: ServiceUnderTest.database, writes: writes)
            return try service.start { $0.commit(request, completion: $1) }
        }
        #expect(isLeft == isLong)
    }

    @Test(arguments: [(1, false), (300, true)])
    func `a judged read of many documents goes on in turns`(_ count: Int, _ isLong: Bool) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let request = BatchGetDocumentsRequest(
            database: ServiceUnderTest.database,
            documents: try (0..<count).map { try name("c/\($0)") }
        )
        ruled.service.look.hasEnded = true
        let stream: ServiceUnderTest.Stream<BatchGetDocumentsResponse> = try ruled.service.stream {
            $0.batchGetDocuments(request, received: $1, finished: $2)
        }
        #expect((stream.status == nil) == isLong)
    }

    @Test(arguments: [(1, false), (300, true)])
    func `a judged listen to many documents goes on in turns`(_ count: Int, _ isLong: Bool) throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        ruled.service.look.hasEnded = true
        let listening = Listening(ruled.service)
        listening.add(ListenTarget(id: 1, .documents(try (0..<count).map { try name("c/\($0)") })))
        #expect(try listening.take().isEmpty == isLong)
    }

    @Test func `listeners are judged again in turns of the mailbox`() throws {
        let ruled = try Self.ruled()
        defer { ruled.close() }
        let mailbox = ruled.service.mailbox
        let listening = Listening(ruled.service)
        for id in 1...Int32(9) { listening.add(try .documents(id, "c/a")) }
        _ = try listening.take()
        #expect(mailbox.turnCount == 0)
        try ruled.install("match /d/{id} { allow get; }")
        ruled.service.service.judgeListeners()
        #expect(try listening.take().count == 9)
        #expect(mailbox.turnCount >= 9)
    }

    @Test func `listeners are told of much in turns of the mailbox`() throws {
        let count = 100
        var watch = WatchConfiguration()
        watch.turnReadsMax = 10
        let service = try ServiceUnderTest(watch: watch)
        defer { service.close() }
        try service.commit(try (0..<count).map { try set("c/\($0)") })
        let listening = Listening(service)
        let query = StructuredQuery(from: [.init(collectionID: "c")])
        listening.add(ListenTarget(id: 1, .query(try parent(), query)))
        #expect(try listening.take().filter { $0.hasPrefix("c/") }.count == count)
        #expect(service.mailbox.turnCount > 1)
    }
}
