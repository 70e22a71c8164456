import BrasaDocuments
import BrasaMessages
import BrasaOptions
import BrasaQueries
import BrasaWire
import Foundation
import NIOCore
import Testing

@testable import BrasaServer

@Suite struct IndexListingTests {
    @Test(.timeLimit(.minutes(10)))
    func `An index that a query asks for is built while the server runs, and listed`() async throws {
        let server = try await RunningServer()
        let client = try await server.connect()
        let database = try DatabaseName(project: "p", database: "(default)")
        for start in stride(from: 0, to: 1_000, by: 250) {
            let writes = try (start..<(start + 250)).map { number in
                Write(
                    name: try DocumentName(parsing: "projects/p/databases/(default)/documents/c/\(number)".utf8),
                    operation: .set(EncodedFields(encoding: [.init(key: "n", value: .integer(Int64(number)))]))
                )
            }
            let request = CommitRequest(database: database, writes: writes)
            let _: CommitResponse = try await client.unary { $0.commit(request, completion: $1) }
        }
        let address = ListenAddress(host: "127.0.0.1", port: server.port)
        #expect(try await IndexListing.fetch(from: ServerAccess(address)).table == ["0 indexes, 0 B"])

        let path = try FieldPath(parsing: "n".utf8)
        let query = StructuredQuery(
            from: [.init(collectionID: "c")],
            filter: .field(path, .equal, .integer(7))
        )
        let parent = try ParentName(parsing: "projects/p/databases/(default)/documents".utf8)
        let found = try await client.stream {
            $0.runQuery(RunQueryRequest(parent: parent, query: query), received: $1, finished: $2)
        }
        #expect(found.compactMap(\.document).count == 1)
        // The thread was woken; how long it takes decides nothing.
        while try await !IndexListing.fetch(from: ServerAccess(address)).json.contains("\"ready\"") {
            await Task.yield()
        }
        let lines = try await IndexListing.fetch(from: ServerAccess(address)).table
        #expect(lines.count == 3 && lines[1].contains("(n ASC, __name__ ASC)") && lines[1].contains("1000"))
        try await server.stop()
        await #expect(throws: StartError.self) { try await IndexListing.fetch(from: ServerAccess(address)) }
    }

    private static let address = ListenAddress(host: "db.example", port: 8080)

    @Test(arguments: [
        ("127.0.0.1", ServerAccess(address, keyFile: "k"), true), ("::1", ServerAccess(address, keyFile: "k"), true),
        ("10.0.0.1", ServerAccess(address, keyFile: "k"), false),
        ("10.0.0.1", ServerAccess(address, speaksTLS: true, keyFile: "k"), true),
        ("10.0.0.1", ServerAccess(address, authorities: "ca", keyFile: "k"), true),
        ("10.0.0.1", ServerAccess(address), true),
    ])
    func `A key's token is not sent in plain text beyond loopback`(
        _ peer: String,
        _ access: ServerAccess,
        _ isSent: Bool
    ) throws {
        let reached = try SocketAddress(ipAddress: peer, port: 8080)
        let refusal = StartError("--key is not shown to db.example:8080 in plain text: say --tls, or --ca FILE")
        if isSent {
            #expect(throws: Never.self) { try access.checkSecrecy(to: reached) }
        } else {
            #expect(throws: refusal) { try access.checkSecrecy(to: reached) }
        }
    }
}
