import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaWatch
import BrasaWire
import Testing

@testable import BrasaService

/// What goes wrong on a Listen stream, and how much of it that ends.
@Suite struct ListenErrorTests {
    struct BadTarget: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let cause: String
        let target: @Sendable (Int32) throws -> ListenTarget

        init(_ description: String, _ cause: String, _ target: @escaping @Sendable (Int32) throws -> ListenTarget) {
            self.testDescription = description
            self.cause = cause
            self.target = target
        }
    }

    private static func query(_ id: Int32, _ query: StructuredQuery?) throws -> ListenTarget {
        ListenTarget(id: id, .query(try parent(), query))
    }

    static let badTargets: [BadTarget] = [
        .init("all collections", "invalidArgument: All-collection queries are not supported by real-time queries.") {
            try Self.query($0, StructuredQuery(from: []))
        },
        .init("no query", "invalidArgument: only structured queries are supported") { try Self.query($0, nil) },
        .init("neither query nor documents", "invalidArgument: A target must be a query or a set of documents.") {
            ListenTarget(id: $0, .unknown)
        },
        .init("a negative limit", "invalidArgument: ") {
            try Self.query($0, StructuredQuery(from: [.init(collectionID: "c")], limit: -1))
        },
        .init("documents of another database", "invalidArgument: ") {
            let name = try DocumentName(parsing: "projects/p/databases/other/documents/c/a".utf8)
            return ListenTarget(id: $0, .documents([name]))
        },
        .init("a parent in another database", "invalidArgument: ") {
            let parent = try ParentName(parsing: "projects/p/databases/other/documents".utf8)
            return ListenTarget(id: $0, .query(parent, StructuredQuery(from: [.init(collectionID: "c")])))
        },
    ]

    @Test(arguments: badTargets)
    func `A bad target ends alone`(_ bad: BadTarget) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try .collection(1))
        _ = try listening.take()
        listening.add(try bad.target(2))
        let lines = try listening.take()
        #expect(lines.count == 1 && lines[0].hasPrefix("REMOVE 2 \(bad.cause)"), "\(lines)")
        try service.commit([try set("c/a")])
        #expect(try listening.take() == ["c/a +1", "SNAPSHOT"])
        listening.add(try .documents(2, "c/a"))
        #expect(try listening.take() == ["ADD 2", "c/a +2", "CURRENT 2", "SNAPSHOT"])
        #expect(listening.status == nil)
    }

    @Test func `An id that is taken is refused, and its target goes on`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try .collection(1))
        _ = try listening.take()
        listening.add(try .documents(1, "c/a"))
        #expect(try listening.take() == ["REMOVE 1 alreadyExists: Target ID already exists: 1"])
        try service.commit([try set("c/a")])
        #expect(try listening.take() == ["c/a +1", "SNAPSHOT"])
    }

    @Test func `The server chooses ids when it is asked to`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let listening = Listening(service)
        listening.add(try .collection(0))
        #expect(try listening.take() == ["ADD 1", "CURRENT 1", "SNAPSHOT"])
        listening.add(try .documents(0, "c/a"))
        #expect(try listening.take().first == "ADD 2")
        listening.add(ListenTarget(id: 0, .unknown))
        #expect(try listening.take().first?.hasPrefix("REMOVE 3 invalidArgument") == true)
        #expect(listening.status == nil)
    }

    @Test(arguments: [[1, 0], [0, 1], [-1], [1, -7]] as [[Int32]], [true, false])
    func `Ids that contradict each other end the stream`(_ ids: [Int32], _ isBad: Bool) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        let listening = Listening(service)
        for id in ids.dropLast() { listening.add(try .collection(id)) }
        _ = try listening.take()
        let last = try #require(ids.last)
        listening.add(isBad ? ListenTarget(id: last, .unknown) : try .collection(last))
        try service.run()
        #expect(listening.status?.code == .invalidArgument)
        #expect(service.watcher.counters.current.streams == 0)
    }

    @Test func `A first request without database, or one that is none, ends the stream`() throws {
        let requests: [[UInt8]] = [[], [0xFF], [0x18, 0x01], [0x0A, 0x01, 0x78], [0x0A, 0x7F]]
        for bytes in requests {
            let service = try ServiceUnderTest()
            let listening = Listening(service)
            listening.send(bytes)
            try service.run()
            #expect(listening.status?.code == .invalidArgument, "\(bytes)")
            #expect(service.watcher.counters.current.streams == 0)
            service.close()
        }
    }

    @Test func `A later request in another database, or for nothing, ends the stream`() throws {
        let other = try DatabaseName(parsing: "projects/p/databases/other".utf8)
        let changes: [(ListenRequest.Change?, DatabaseName)] = [
            (.remove(1), other), (.add(try .collection(2)), other), (nil, ServiceUnderTest.database),
        ]
        for (change, database) in changes {
            let service = try ServiceUnderTest()
            let listening = Listening(service)
            listening.add(try .collection(1))
            _ = try listening.take()
            listening.send(change, in: database)
            try service.run()
            #expect(listening.status?.code == .invalidArgument)
            #expect(service.watcher.counters.current.targets == 0)
            service.close()
        }
    }
}
