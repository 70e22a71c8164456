import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaWire
import NIOCore
import NIOPosix
import Testing

@testable import BrasaFirestore
@testable import BrasaSync

/// The sync engine over the real channel, against a whole server.
@Suite struct SyncHostTests {
    private func host(_ client: TransportClient) -> SyncHost {
        SyncHost(
            caller: client.caller,
            executor: SyncExecutor(MultiThreadedEventLoopGroup.singleton.next()),
            makeStorage: { MemoryStorage(collector: .eager) }
        )
    }

    /// The numbers in the documents of each snapshot of a collection that the server has confirmed.
    private func listen(_ host: SyncHost, _ collection: UTF8Text) throws -> AsyncStream<[Int64]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Int64].self, bufferingPolicy: .unbounded)
        let database = try DatabaseName(parsing: TransportClient.database.utf8)
        let path = try BrasaDocuments.FieldPath(parsing: "n".utf8)
        host.run { client in
            let query = StructuredQuery(from: [.init(collectionID: collection)])
            guard let query = try? SyncQuery(query, parent: .root, database: database) else {
                return continuation.finish()
            }
            _ = client.listen(query, options: ListenOptions(includeMetadataChanges: true)) { event in
                guard case .success(let snapshot) = event else { return continuation.finish() }
                guard !snapshot.isFromCache, !snapshot.hasPendingWrites else { return }
                continuation.yield(
                    snapshot.documents.compactMap { document in
                        if case .integer(let number)? = document.fields.value(at: path) { number } else { nil }
                    }
                )
            }
        }
        return stream
    }

    private func write(_ host: SyncHost, _ write: Write) async throws {
        let error: SyncError? = await withCheckedContinuation { continuation in
            host.run { client in client.write([write]) { continuation.resume(returning: $0) } }
        }
        if let error { throw error }
    }

    private func terminate(_ host: SyncHost, _ client: TransportClient) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            host.run { client in client.terminate { continuation.resume() } }
        }
        await client.channel.close()
    }

    @Test func `The channel tells of each new connection, and the engine listens`() async throws {
        let server = try await LocalServer()
        let client = try TransportClient(port: server.port)
        let host = self.host(client)
        let channel = client.channel
        let (connections, continuation) = AsyncStream<Void>.makeStream()
        let isHeard = try await channel.eventLoop.submit {
            let engine = channel.onConnected
            channel.onConnected = {
                engine?()
                continuation.yield()
            }
            return engine != nil
        }.get()
        #expect(isHeard)
        try await self.write(host, client.set("c/a", 1))
        #expect(await connections.first { _ in true } != nil)
        await self.terminate(host, client)
        try await server.stop()
    }

    @Test func `Writes are acknowledged and listeners see what others write`() async throws {
        let server = try await LocalServer()
        let other = try TransportClient(port: server.port)
        let client = try TransportClient(port: server.port)
        let host = self.host(client)
        let snapshots = try self.listen(host, "c")
        #expect(await snapshots.first { _ in true } == [])
        try await self.write(host, client.set("c/a", 1))
        #expect(await snapshots.first { $0 == [1] } != nil)
        _ = try await other.commit([other.set("c/b", 2)])
        #expect(await snapshots.first { $0 == [1, 2] } != nil)
        await self.terminate(host, client)
        await other.channel.close()
        try await server.stop()
    }

    @Test(arguments: [7, 8] as [UInt64])
    func `Listeners catch up through broken connections`(_ seed: UInt64) async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: seed, .init(drops: 30, resets: 30, delays: 100))
        let other = try TransportClient(port: server.port)
        let client = try TransportClient(port: proxy.port)
        let host = self.host(client)
        let snapshots = try self.listen(host, "c")
        for number in 0..<100 as Range<Int64> {
            _ = try await other.commit([other.set("c/\(number % 10)", number)])
        }
        proxy.calm()
        #expect(await snapshots.first { $0 == (90..<100).map { Int64($0) } } != nil)
        await self.terminate(host, client)
        await other.channel.close()
        try await proxy.stop()
        try await server.stop()
    }
}
