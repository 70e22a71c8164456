import BrasaDocuments
import BrasaGRPC
import BrasaWire
import Testing

@testable import BrasaFirestore

/// Increments by many clients, directly and through a proxy that breaks connections.
@Suite struct ContentionTests {
    private static let clients = 8
    private static let increments = 12

    @Test func `Clients that contend for one document count exactly`() async throws {
        let server = try await LocalServer()
        let outcome = try await self.contend(port: server.port)
        #expect(outcome.unknown == 0)
        #expect(outcome.total == Int64(Self.clients * Self.increments))
        try await server.stop()
    }

    /// Each increment writes a document of its own in the same commit, which tells afterwards whether it was applied.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Through broken connections no increment is lost or done twice`(_ seed: UInt64) async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: seed)
        let outcome = try await self.contend(port: proxy.port)
        let calm = try TransportClient(port: server.port)
        var applied: Int64 = 0
        for mark in outcome.known + outcome.unknownMarks where try await calm.number(at: mark) != nil { applied += 1 }
        for mark in outcome.known { #expect(try await calm.number(at: mark) != nil, "\(mark) was lost") }
        #expect(try await calm.number(at: "c/counter") == applied)
        #expect(outcome.known.count + outcome.unknown == Self.clients * Self.increments)
        #expect(proxy.breaks > 0)
        await calm.channel.close()
        try await proxy.stop()
        try await server.stop()
    }

    private struct Outcome: Sendable {
        /// The marks of increments that were acknowledged, and of those that nobody knows of.
        var known: [String] = []
        var unknownMarks: [String] = []
        var total: Int64?

        var unknown: Int { self.unknownMarks.count }
    }

    private func contend(port: Int) async throws -> Outcome {
        var outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 0..<Self.clients {
                group.addTask {
                    let client = try TransportClient(port: port)
                    var outcome = Outcome()
                    for round in 0..<Self.increments {
                        let mark = "marks/\(number)-\(round)"
                        if try await self.increment(client, mark) {
                            outcome.known.append(mark)
                        } else {
                            outcome.unknownMarks.append(mark)
                        }
                    }
                    await client.channel.close()
                    return outcome
                }
            }
            return try await group.reduce(into: Outcome()) {
                $0.known += $1.known
                $0.unknownMarks += $1.unknownMarks
            }
        }
        let client = try TransportClient(port: port)
        outcome.total = try await client.number(at: "c/counter")
        await client.channel.close()
        return outcome
    }

    /// False when nobody knows whether it was applied. Anything that certainly was not is tried again.
    private func increment(_ client: TransportClient, _ mark: String) async throws -> Bool {
        let database = client.caller.database
        for _ in 0..<1_000 {
            do {
                let begin = BeginTransactionRequest(database: database, options: .readWrite(retry: []))
                let transaction = try await client.datastore.beginTransaction(begin).transaction
                let number = try await client.number(at: "c/counter", transaction: transaction) ?? 0
                let writes = [try client.set("c/counter", number + 1), try client.set(mark, 1)]
                _ = try await client.commit(writes, transaction: transaction)
                return true
            } catch let error as CallError {
                if error.mayHaveBeenApplied { return false }
                guard [.aborted, .unavailable].contains(error.status.code) else { throw error }
            }
        }
        throw CallError(GRPCStatus(.aborted, "The increment never got through"))
    }
}
