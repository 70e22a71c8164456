import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaFirestore

/// Increments by many clients, directly and through a proxy that breaks connections.
@Suite struct ContentionTests {
    private static let clients = 8
    private static let increments = 12

    /// How a transaction guards what it read.
    enum Guard: Sendable, CaseIterable {
        /// By the server's transaction, which locks.
        case transaction
        /// By preconditions of its commit: a client that goes away leaves nothing behind.
        case preconditions
    }

    @Test(arguments: Guard.allCases) func `Clients that contend for one document count exactly`(
        _ style: Guard
    ) async throws {
        let server = try await LocalServer()
        let outcome = try await self.contend(style, port: server.port)
        #expect(outcome.unknown == 0)
        #expect(outcome.total == Int64(Self.clients * Self.increments))
        try await server.stop()
    }

    /// Each increment writes a document of its own in the same commit, which tells afterwards whether it was applied.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Through broken connections no increment is lost or done twice`(_ seed: UInt64) async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: seed)
        let outcome = try await self.contend(.preconditions, port: proxy.port)
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

    private func contend(_ style: Guard, port: Int) async throws -> Outcome {
        var outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 0..<Self.clients {
                group.addTask {
                    let client = try TransportClient(port: port)
                    var outcome = Outcome()
                    for round in 0..<Self.increments {
                        let mark = "marks/\(number)-\(round)"
                        if try await self.increment(client, mark, style) {
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
    private func increment(_ client: TransportClient, _ mark: String, _ style: Guard) async throws -> Bool {
        for _ in 0..<1_000 {
            do {
                switch style {
                case .transaction: try await self.incrementLocked(client, mark)
                case .preconditions: try await self.incrementGuarded(client, mark)
                }
                return true
            } catch let error as CallError {
                if error.mayHaveBeenApplied { return false }
                guard Self.harmless.contains(error.status.code) else { throw error }
            }
        }
        throw CallError(GRPCStatus(.aborted, "The increment never got through"))
    }

    private static let harmless: Set<StatusCode> = [.aborted, .unavailable, .failedPrecondition, .alreadyExists]

    private func incrementLocked(_ client: TransportClient, _ mark: String) async throws {
        let begin = BeginTransactionRequest(database: client.caller.database, options: .readWrite(retry: []))
        let transaction = try await client.datastore.beginTransaction(begin).transaction
        let number = try await client.number(at: "c/counter", transaction: transaction) ?? 0
        let writes = [try client.set("c/counter", number + 1), try client.set(mark, 1)]
        _ = try await client.commit(writes, transaction: transaction)
    }

    private func incrementGuarded(_ client: TransportClient, _ mark: String) async throws {
        let document = try await client.document(at: "c/counter")
        var write = try client.set("c/counter", (try document.map(client.number(in:)) ?? 0) + 1)
        write.precondition = document.map { .updateTime($0.updateTime) } ?? .exists(false)
        _ = try await client.commit([write, try client.set(mark, 1)])
    }
}
