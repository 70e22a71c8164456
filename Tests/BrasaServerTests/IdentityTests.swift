import BrasaIdentity
import BrasaPlatform
import BrasaTokens
import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import BrasaServer

@Suite struct IdentityTests {
    @Test func `Each has its turn, and no more than its part of the places`() {
        var queue = FairQueue<String, Int>(countMax: 5, countPerKeyMax: 3)
        for (key, element, isTaken) in [
            ("a", 1, true), ("a", 2, true), ("a", 3, true), ("a", 4, false), ("b", 5, true), ("c", 6, true),
            ("c", 7, false),
        ] {
            #expect(queue.append(element, for: key) == isTaken, "\(element)")
        }
        var order: [Int] = []
        while let element = queue.popFirst() { order.append(element) }
        #expect(order == [1, 5, 6, 2, 3])
        // The places are there again.
        #expect(queue.append(8, for: "a") && queue.popFirst() == 8 && queue.popFirst() == nil)
    }

    @Test(arguments: [
        (true, false, false, true), (true, false, true, false), (true, true, false, false),
        (false, false, false, false),
        (false, false, true, false), (false, true, false, false),
    ])
    func `A server is open where those who reach it are trusted and nothing says who may`(
        _ isReachedByTrusted: Bool,
        _ namesCallers: Bool,
        _ hasKeys: Bool,
        _ isOpen: Bool
    ) {
        let policy = OpenPolicy(isReachedByTrusted: isReachedByTrusted, namesCallers: namesCallers)
        #expect(policy.isOpen(hasKeys: hasKeys) == isOpen)
        // Who would be let in by nothing is told.
        let isUseless = !isOpen && !namesCallers && !hasKeys
        #expect((policy.notice(hasKeys: hasKeys)?.isWarning ?? false) == isUseless)
    }

    @Test func `A reason is told at once and then once in ten seconds, and all are counted`() {
        let lines = Recorded<String>()
        let log = RefusalLog(Logger(label: "test", factory: { _ in RecordingLogHandler(lines) }))
        let visitor = Visitor(address: PeerAddress(nil), text: "10.0.0.1")
        let start = NIODeadline.now()
        for seconds: Int64 in [0, 1, 9] {
            log.note("a token is refused", reason: "one", visitor, now: start + .seconds(seconds))
            log.note("a token is refused", reason: "two", visitor, now: start + .seconds(seconds))
        }
        #expect(lines.list.count == 2)
        log.note("a token is refused", reason: "one", visitor, now: start + .seconds(10))
        #expect(lines.list.count == 3)
        #expect(log.count == 7)
    }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1"), ("2001:db8::1", "2001:db8:0:0::/64"), ("::ffff:10.0.0.2", "10.0.0.2"),
    ])
    func `A peer is written as what it is counted by`(_ address: String, _ text: String) throws {
        #expect(PeerAddress(try SocketAddress(ipAddress: address, port: 1)).description == text)
    }

    /// Of nobody.
    private struct NoFetcher: DocumentFetcher {
        func fetch(_ url: String, bytesMax: Int) async throws(FetchError) -> [UInt8] { throw .failed("nobody answers") }
    }

    private static func encoded(_ text: String) -> String {
        let text = Data(text.utf8).base64EncodedString()
        return text.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }

    /// More than have places, on two connections of one loop: the keys that they want come to nothing when all have asked.
    @Test func `A token that many calls show at once is verified once, and for all of them`() async throws {
        let count = LoopAdmissions.waitingMax
        let name = "https://id.example"
        let issuer = TokenIssuer(issuer: name, audiences: ["app"], keys: .url("\(name)/keys"))
        let issuers = IssuerKeys(
            TokenIssuers(issuer),
            fetcher: NoFetcher(),
            disk: RealDisk(),
            clock: .system,
            onFailure: { _, _ in }
        )
        let folder = try TemporaryFolder()
        let store = AdministratorKeyStore(disk: RealDisk(), dataDirectory: folder.path)
        let desk = TokenDesk(
            TokenVerifier(store: store, issuers: issuers, isEmulator: false),
            policy: OpenPolicy(isReachedByTrusted: true, namesCallers: true),
            isEmulator: false,
            refusals: RefusalLog(Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let header = Self.encoded(#"{"alg":"RS256","kid":"k"}"#)
        let claims = Self.encoded(#"{"iss":"\#(name)","sub":"u"}"#)
        let credentials = Credentials(authorization: "Bearer \(header).\(claims).AAAA")
        let answers = Recorded<String>()
        let whole = loop.makePromise(of: Void.self)
        try await loop.submit {
            let admissions = LoopAdmissions(desk)
            let visitor = Visitor(address: PeerAddress(nil), text: "?")
            let connections = (0..<2).map { _ in ConnectionDesk(desk, visitor, admissions, on: loop) }
            for number in 0..<count {
                guard case .desk(_, let identify) = connections[number % 2].reception else { return }
                let known = identify(credentials) { answer in
                    answers.append(answer.word)
                    if answers.list.count == count { whole.succeed() }
                }
                #expect(known == nil)
            }
            // There is no place for more, however many there are of the token's like.
            guard case .desk(_, let identify) = connections[0].reception else { return }
            let known = identify(credentials) { _ in answers.append("late") }
            #expect(known?.word == "busy")
        }.get()
        let work = Task { await issuers.run() }
        try await whole.futureResult.get()
        #expect(answers.list == Array(repeating: "refused", count: count))
        #expect(desk.refusals.count == 1)
        work.cancel()
        await work.value
        desk.stop()
        try await group.shutdownGracefully()
    }

    @Test func `A list of keys that cannot be read ends the start`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/identity", withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(filePath: folder.path + "/identity/keys.json"))
        let error = await #expect(throws: StartError.self) {
            let server = try await RunningServer(RunningServer.configuration { $0.dataDirectory = folder.path })
            try await server.stop()
        }
        #expect(error?.description.contains("identity/keys.json is damaged") == true)
    }
}

extension Identification {
    fileprivate var word: String {
        switch self {
        case .admitted: "admitted"
        case .refused: "refused"
        case .busy: "busy"
        }
    }
}
