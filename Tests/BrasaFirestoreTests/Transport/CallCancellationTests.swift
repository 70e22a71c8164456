import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaWire
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite struct CallCancellationTests {
    private func error(of task: Task<Void, any Error>) async -> CallError? {
        do {
            try await task.value
            return nil
        } catch {
            return error as? CallError
        }
    }

    @Test
    func `A cancelled commit ends at once where it was not sent, and is waited for and not repeated where it was`()
        async throws
    {
        for status in [nil, GRPCStatus(.resourceExhausted, ""), GRPCStatus(.unavailable, "")] {
            let cancel = Mutex<(@Sendable () -> EventLoopFuture<Void>)?>(nil)
            let commits = Counter()
            let server = try await ScriptedServer([
                .init(
                    FirestoreMethods.commit,
                    { call, _, channel in
                        commits.increment()
                        let call = NIOLoopBound(call, eventLoop: channel.eventLoop)
                        // Answered once the client has seen to the cancellation.
                        cancel.withLock { $0 }?().hop(to: channel.eventLoop).whenSuccess {
                            if let status { call.value.finish(status) } else { call.value.respond(ByteBuffer()) }
                        }
                    }
                )
            ])
            let client = try TransportClient(port: server.port)
            let request = CommitRequest(database: client.caller.database, writes: [])
            let (starts, start) = AsyncStream<Void>.makeStream()
            let sent = Task {
                for await _ in starts { break }
                _ = try await client.datastore.commit(request, whenCancelled: .endsUnlessSent)
            }
            cancel.withLock {
                $0 = {
                    sent.cancel()
                    return client.caller.eventLoop.submit {}
                }
            }
            start.yield()
            let error = await self.error(of: sent)
            switch status?.code {
            case nil: #expect(error == nil)
            case .resourceExhausted: #expect(error?.status.code == .cancelled && error?.mayHaveBeenApplied == false)
            default: #expect(error?.status.code == .unavailable && error?.mayHaveBeenApplied == true)
            }
            #expect(commits.value == 1)
            await client.channel.close()
            try await server.stop()
        }
        // Takes connections, and says nothing.
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try TransportClient(
            port: silent.localAddress?.port ?? 0,
            change: { $0.connectTimeout = .seconds(3_600) }
        )
        let request = CommitRequest(database: client.caller.database, writes: [])
        let unsent = Task { _ = try await client.datastore.commit(request, whenCancelled: .endsUnlessSent) }
        unsent.cancel()
        let error = await self.error(of: unsent)
        #expect(error?.status.code == .cancelled && error?.mayHaveBeenApplied == false)
        await client.channel.close()
        try await silent.close()
    }
}
