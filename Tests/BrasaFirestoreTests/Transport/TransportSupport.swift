import BrasaBackoff
import BrasaClientNetwork
import BrasaCredentials
import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaSync
import BrasaWire
import NIOCore
import NIOPosix

@testable import BrasaFirestore

/// A client of the transport alone.
struct TransportClient: Sendable {
    let channel: CallChannel
    let caller: Caller
    let datastore: Datastore

    static let database = "projects/p/databases/(default)"

    init(
        port: Int,
        security: ChannelSecurity = .plaintext,
        host: String = "127.0.0.1",
        resolver: any AddressResolver = SystemResolver(),
        token: TokenProvider? = nil,
        policies: CallPolicies = TransportClient.quickPolicies,
        change: (inout ChannelConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ChannelConfiguration(
            server: ServerAddress(host: host, port: port),
            security: security
        )
        configuration.backoff.initial = .milliseconds(5)
        configuration.backoff.max = .milliseconds(50)
        change(&configuration)
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        self.channel = try CallChannel(configuration, eventLoop: eventLoop, resolver: resolver)
        self.caller = Caller(
            channel: self.channel,
            database: try DatabaseName(parsing: Self.database.utf8),
            credentials: Credentials(token, eventLoop: eventLoop, timeout: .hours(1)),
            policies: policies
        )
        self.datastore = Datastore(self.caller)
    }

    /// The standard ones, with waits that tests can bear, and time enough on machines that have much to do.
    static var quickPolicies: CallPolicies {
        var policies = CallPolicies.standard
        policies.setBackoff(initial: .milliseconds(5), max: .milliseconds(50), attemptsMax: 50)
        for method in CallMethod.allCases where policies[method].timeout != nil { policies[method].timeout = .hours(1) }
        return policies
    }

    func name(_ path: String) throws -> DocumentName {
        try DocumentName(parsing: "\(Self.database)/documents/\(path)".utf8)
    }

    func set(_ path: String, _ number: Int64) throws -> Write {
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "n", value: .integer(number))])
        return Write(name: try self.name(path), operation: .set(fields))
    }

    func commit(_ writes: [Write], transaction: [UInt8] = []) async throws -> CommitResponse {
        try await self.datastore.commit(
            CommitRequest(database: self.caller.database, writes: writes, transaction: transaction)
        )
    }

    /// A commit without writes, for servers that only count.
    func commitNothing() async throws {
        _ = try await self.commit([])
    }

    /// Any reading call.
    func listCollections() async throws {
        let parent = try ParentName(parsing: "\(Self.database)/documents".utf8)
        _ = try await self.datastore.listCollectionIds(ListCollectionIdsRequest(parent: parent))
    }

    /// The number that a document holds; nil where there is none.
    func number(at path: String, transaction: [UInt8]? = nil) async throws -> Int64? {
        try await self.document(at: path, transaction: transaction).map(self.number(in:))
    }

    func number(in document: Document) throws -> Int64 {
        let path = try BrasaDocuments.FieldPath(parsing: "n".utf8)
        guard case .integer(let number)? = document.fields.value(at: path) else {
            throw CallError(GRPCStatus(.internal, "The document has no number"))
        }
        return number
    }

    func document(at path: String, transaction: [UInt8]? = nil) async throws -> Document? {
        let request = BatchGetDocumentsRequest(
            database: self.caller.database,
            documents: [try self.name(path)],
            consistency: transaction.map { .transaction($0) } ?? .strong
        )
        for response in try await self.datastore.batchGetDocuments(request) {
            if case .found(let found)? = response.result { return found.document }
        }
        return nil
    }
}

extension CallPolicies {
    /// The same waits for every method, whatever its codes.
    mutating func setBackoff(initial: TimeAmount, max: TimeAmount, attemptsMax: Int) {
        for method in CallMethod.allCases {
            self[method].retry.initialBackoff = initial
            self[method].retry.backoffMax = max
            self[method].retry.attemptsMax = attemptsMax
        }
    }
}
