import Foundation
import NIOPosix
import Testing

@testable import BrasaFirestore

@Suite("The life of a client")
struct LifetimeTests {
    private func withProxy(_ body: (LocalServer, ChaosProxy) async throws -> Void) async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: 1, .init(drops: 0, resets: 0, delays: 0))
        try await body(server, proxy)
        try await proxy.stop()
        try await server.stop()
    }

    @Test("A client that nobody holds closes its connections, once its writes are answered")
    func dropped() async throws {
        try await self.withProxy { server, proxy in
            func use() async throws {
                let db = server.client(through: proxy)
                try await db.document("c/a").setData(["n": 1])
                _ = try await db.document("c/a").getDocument(source: .server)
                db.document("c/b").queueSet(["n": 2])
            }
            try await use()
            for await _ in proxy.ends { break }
            let other = server.client()
            #expect(try await other.document("c/b").getDocument(source: .server)["n"] as? Int == 2)
            try await other.terminate()
        }
    }

    @Test("A listener keeps its client until it is removed")
    func listener() async throws {
        try await self.withProxy { server, proxy in
            let (numbers, heard) = AsyncStream<Int>.makeStream()
            func listen() -> any ListenerRegistration {
                server.client(through: proxy).document("c/a").addSnapshotListener { snapshot, _ in
                    heard.yield(snapshot?["n"] as? Int ?? 0)
                }
            }
            var registration: (any ListenerRegistration)? = listen()
            let loop = Loop(numbers)
            #expect(try await loop.next() == 0)
            let other = server.client()
            try await other.document("c/a").setData(["n": 1])
            #expect(try await loop.next() == 1)
            registration?.remove()
            registration = nil
            for await _ in proxy.ends { break }
            try await other.terminate()
        }
    }

    @Test("Each client has a thread of its own, which is none of those that programs share")
    func threads() async throws {
        let server = try await LocalServer()
        let clients = [server.client(), server.client()]
        var loops = MultiThreadedEventLoopGroup.singleton.makeIterator().map { ObjectIdentifier($0) }
        for client in clients {
            let core = try client.core()
            let loop = await withCheckedContinuation { (continuation: CheckedContinuation<ObjectIdentifier?, Never>) in
                core.run { _ in
                    let loop = MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) }
                    continuation.resume(returning: loop)
                }
            }
            loops.append(try #require(loop))
        }
        #expect(Set(loops).count == loops.count)
        for client in clients { try await client.terminate() }
        try await server.stop()
    }
}
