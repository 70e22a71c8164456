import BrasaIdentity
import BrasaPlatform
import BrasaSigner
import BrasaTokens
import CBrasaAllocations
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BrasaServer

/// To find out who asks costs most calls a look, and no memory.
@Suite("Most callers are recognized without an allocation", .enabled(if: brasa_allocations_are_counted()))
struct DeskCostTests {
    /// A desk in a folder with a key, or open.
    private static func desk(hasKey: Bool) async throws -> (desk: TokenDesk, authorization: [UInt8]) {
        let folder = try TemporaryFolder()
        let store = AdministratorKeyStore(disk: RealDisk(), dataDirectory: folder.path)
        var authorization = Array("Bearer owner".utf8)
        if hasKey {
            let file = try store.create(
                "app",
                role: .administrator,
                databases: [],
                project: "demo",
                server: "https://localhost",
                clock: .system,
                entropy: .system
            )
            let path = folder.path + "/app.json"
            try Data(file.utf8).write(to: URL(filePath: path))
            let key = try SigningKey(keyFile: path, disk: RealDisk())
            let token = try #require(key.token(at: Clock.system.wall().microseconds / 1_000_000))
            authorization = Array("Bearer \(token)".utf8)
        }
        let issuers = IssuerKeys(
            try TokenIssuers([]),
            fetcher: nil,
            disk: RealDisk(),
            clock: .system,
            onFailure: { _, _ in }
        )
        let verifier = TokenVerifier(store: store, issuers: issuers, isEmulator: false)
        _ = await verifier.reload()
        let desk = TokenDesk(
            verifier,
            policy: OpenPolicy(isLocal: true, isInsecure: false, namesCallers: false),
            isEmulator: false,
            refusals: RefusalLog(Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        )
        return (desk, authorization)
    }

    /// For a hundred requests.
    private static func allocations(_ recognize: Reception.Recognize, _ authorization: [UInt8]?) -> Int {
        func request() -> Bool {
            guard let authorization else { return recognize(nil) != nil }
            return authorization.withUnsafeBytes { recognize($0) } != nil
        }
        // The first may fill what is used again.
        var isKnown = request()
        brasa_allocations_begin()
        for _ in 0..<100 { isKnown = request() && isKnown }
        let count = brasa_allocations_end()
        #expect(isKnown)
        return count
    }

    private static func connection(_ desk: TokenDesk, _ loop: any EventLoop) -> ConnectionDesk {
        ConnectionDesk(desk, Visitor(address: PeerAddress(nil), text: "?"), LoopAdmissions(), on: loop)
    }

    @Test func `Where nothing checks who calls`() async throws {
        let (desk, authorization) = try await Self.desk(hasKey: false)
        defer { desk.stop() }
        guard case .desk(let recognize, _) = Self.connection(desk, EmbeddedEventLoop()).reception else { return }
        #expect(Self.allocations(recognize, nil) == 0)
        #expect(Self.allocations(recognize, authorization) == 0)
    }

    @Test func `With nothing shown, or the token of the call before`() async throws {
        let (desk, authorization) = try await Self.desk(hasKey: true)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let verified = loop.makePromise(of: Reception.Recognize.self)
        try await loop.submit {
            guard case .desk(let recognize, let identify) = Self.connection(desk, loop).reception else { return }
            let known = identify(Credentials(authorization: authorization)) { _ in verified.succeed(recognize) }
            #expect(known == nil)
        }.get()
        let recognize = try await verified.futureResult.get()
        let counts = try await loop.submit {
            [Self.allocations(recognize, nil), Self.allocations(recognize, authorization)]
        }.get()
        #expect(counts == [0, 0])
        desk.stop()
        try await group.shutdownGracefully()
    }
}
