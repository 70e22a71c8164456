import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaWire
import NIOCore
import NIOPosix
import Testing

@testable import BrasaFirestore
@testable import BrasaSync

/// The engine's two streams against a whole server. Everything but the waiting happens on the executor.
@Suite struct StreamTests {
    private static func target(_ collection: UTF8Text) -> SyncTarget {
        .query(StructuredQuery(from: [.init(collectionID: collection)]), parent: .root)
    }

    @Test func `A watch stream brings documents, their changes and their end`() async throws {
        let server = try await LocalServer()
        let client = try TransportClient(port: server.port)
        _ = try await client.commit([client.set("c/a", 1)])
        let listener = WatchProbe(client)
        await listener.watch([.add(2, Self.target("c"))])
        // What is there, up to the first snapshot.
        var messages = await listener.messages(until: \.isGlobalSnapshot)
        #expect(messages.contains { $0.isDocument("c/a") })
        #expect(messages.contains { $0.isTarget(.add, 2) } && messages.contains { $0.isTarget(.current, 2) })
        // A change, and a delete.
        _ = try await client.commit([client.set("c/b", 2)])
        messages = await listener.messages { $0.isDocument("c/b") }
        _ = try await client.commit([Write(name: client.name("c/a"), operation: .delete)])
        messages = await listener.messages { $0.isEnd("c/a") }
        // Documents by name, with the label of a limbo document.
        let document = try ResourcePath(parsing: "c/b".utf8)
        await listener.send(.add(3, .document(document), purpose: .limboResolution))
        messages = await listener.messages { $0.isTarget(.current, 3) }
        #expect(messages.contains { $0.isDocument("c/b", 3) })
        await listener.send(.remove(2))
        messages = await listener.messages { $0.isTarget(.remove, 2) }
        await listener.close()
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A watch stream goes on where a token says, and tells how many documents there are`() async throws {
        let server = try await LocalServer()
        let client = try TransportClient(port: server.port)
        _ = try await client.commit([client.set("c/a", 1)])
        let first = WatchProbe(client)
        await first.watch([.add(2, Self.target("c"))])
        let token = try #require(await first.messages(until: \.isGlobalSnapshot).last?.token)
        await first.close()
        _ = try await client.commit([client.set("c/b", 2)])
        let second = WatchProbe(client)
        await second.watch([.add(2, Self.target("c"), resumption: .token(token), expectedCount: 7)])
        let messages = await second.messages(until: \.isGlobalSnapshot)
        #expect(messages.contains { $0.isDocument("c/b") } && !messages.contains { $0.isDocument("c/a") })
        #expect(messages.contains { if case .filter(2, 2, _) = $0 { true } else { false } })
        await second.close()
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A write stream shakes hands, writes, and says goodbye`() async throws {
        let server = try await LocalServer()
        let client = try TransportClient(port: server.port)
        let writer = WriteProbe(client)
        await writer.open()
        await writer.send(.handshake(resuming: nil))
        var answer = try #require(await writer.next())
        #expect(!answer.streamToken.isEmpty && answer.results.isEmpty)
        let increment = FieldTransform(
            path: try BrasaDocuments.FieldPath(parsing: "n".utf8),
            operation: .increment(.integer(3))
        )
        let write = Write(
            name: try client.name("c/a"),
            operation: .merge(.empty, mask: []),
            transforms: [increment]
        )
        for expected in [3, 6] as [Int64] {
            await writer.send(.writes([write], streamToken: answer.streamToken))
            answer = try #require(await writer.next())
            #expect(answer.commitTime != nil)
            #expect(answer.results.map(\.transformResults) == [[.integer(expected)]])
        }
        await writer.send(.goodbye(streamToken: answer.streamToken))
        await writer.close()
        #expect(try await client.number(at: "c/a") == 6)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A write that the server refuses ends the stream with its status`() async throws {
        let server = try await LocalServer()
        let client = try TransportClient(port: server.port)
        let writer = WriteProbe(client)
        await writer.open()
        await writer.send(.handshake(resuming: nil))
        let answer = try #require(await writer.next())
        var write = try client.set("c/a", 1)
        write.precondition = .exists(true)
        await writer.send(.writes([write], streamToken: answer.streamToken))
        #expect(await writer.next() == nil)
        #expect(await writer.error?.code == .notFound)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `Streams to a server that is not there are closed as UNAVAILABLE`() async throws {
        let unused = try await ScriptedServer([])
        let port = unused.port
        try await unused.stop()
        let client = try TransportClient(port: port)
        let writer = WriteProbe(client)
        await writer.open()
        #expect(await writer.error?.code == .unavailable)
        await client.channel.close()
    }

    @Test func `A listener that does not listen stops the server, and hears everything in the end`() async throws {
        let server = try await LocalServer()
        let client = try TransportClient(port: server.port)
        let listener = WatchProbe(client)
        await listener.watch([.add(2, Self.target("c"))])
        _ = await listener.messages(until: \.isGlobalSnapshot)
        listener.executor.hold()
        for number in 0..<1_200 as Range<Int64> { _ = try await client.commit([client.set("c/\(number)", number)]) }
        // At the bound nothing more is read, whatever else comes over the connection.
        while listener.undelivered < 1_000 { _ = try await client.number(at: "c/0") }
        for number in 1_200..<1_500 as Range<Int64> { _ = try await client.commit([client.set("c/\(number)", number)]) }
        #expect(listener.undelivered < 1_100)
        listener.executor.release()
        _ = await listener.messages { $0.isDocument("c/1499") }
        await listener.close()
        await client.channel.close()
        try await server.stop()
    }
}
