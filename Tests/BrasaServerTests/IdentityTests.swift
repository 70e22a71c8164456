import BrasaIdentity
import BrasaPlatform
import BrasaTokens
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BrasaServer

@Suite struct IdentityTests {
    /// What became of it: `+` it has a place, `-` it has none; a number, of which it has the place.
    private static func word(_ place: FairQueue<String, Int>.Place) -> String {
        switch place {
        case .free: "+"
        case .of(let other): "\(other)"
        case .none: "-"
        }
    }

    @Test func `Each has its turn and a part of the places, of which who has most gives to who has less`() {
        var queue = FairQueue<String, Int>(countMax: 5, countPerKeyMax: 3)
        for (key, element, expected) in [
            ("a", 1, "+"), ("a", 2, "+"), ("a", 3, "+"), ("a", 4, "-"), ("b", 5, "+"), ("c", 6, "+"), ("d", 7, "3"),
            ("d", 8, "-"), ("e", 9, "2"), ("f", 10, "-"),
        ] {
            #expect(Self.word(queue.append(element, for: key)) == expected, "\(element)")
        }
        var order: [Int] = []
        while let element = queue.popFirst() { order.append(element) }
        #expect(order == [1, 5, 6, 7, 9])
        // The places are there again.
        #expect(Self.word(queue.append(11, for: "a")) == "+" && queue.popFirst() == 11 && queue.popFirst() == nil)
    }

    @Test func `What comes back has a place beyond its part, as long as there are any`() {
        var queue = FairQueue<String, Int>(countMax: 4, countPerKeyMax: 2)
        let places = [1, 2, 3].map { Self.word(queue.append($0, for: "a")) }
        #expect(places == ["+", "+", "-"])
        let returning = [4, 5, 6].map { Self.word(queue.append($0, for: "a", isBounded: false)) }
        #expect(returning == ["+", "+", "-"])
        #expect(Self.word(queue.append(7, for: "b")) == "5")
    }

    @Test func `Who has most on the thread that verifies is refused for who has nothing there`() throws {
        // Nobody takes the jobs: the thread has not been started.
        let queue = VerificationQueue()
        let refused = Recorded<Int>()
        let hosts = VerificationQueue.jobsMax / VerificationQueue.jobsPerAddressMax
        for host in 0..<hosts {
            let address = PeerAddress(bytes: [10, 0, 0, UInt8(host)])
            for _ in 0..<VerificationQueue.jobsPerAddressMax {
                queue.add(address) {
                } otherwise: {
                    refused.append(host)
                }
            }
        }
        #expect(refused.list.isEmpty)
        queue.add(PeerAddress(bytes: [10, 0, 0, 0])) {
        } otherwise: {
            refused.append(-1)
        }
        #expect(refused.list == [-1])
        queue.add(PeerAddress(bytes: [10, 0, 0, 255])) {
        } otherwise: {
            refused.append(-2)
        }
        #expect(refused.list.count == 2 && refused.list.last != -2)
    }

    struct Opening: Sendable {
        var isLocal = false
        var isInsecure = false
        var namesCallers = false
        var hasKeys = false
        let isOpen: Bool
        /// Whether its log warns; nil: it says nothing.
        let isWarning: Bool?
    }

    @Test(arguments: [
        Opening(isLocal: true, isOpen: true, isWarning: false),
        Opening(isLocal: true, isInsecure: true, isOpen: true, isWarning: false),
        Opening(isInsecure: true, isOpen: true, isWarning: true),
        Opening(isLocal: true, hasKeys: true, isOpen: false, isWarning: nil),
        Opening(isInsecure: true, hasKeys: true, isOpen: false, isWarning: nil),
        Opening(isLocal: true, namesCallers: true, isOpen: false, isWarning: nil),
        Opening(isInsecure: true, namesCallers: true, isOpen: false, isWarning: nil),
        Opening(isOpen: false, isWarning: true),
        Opening(hasKeys: true, isOpen: false, isWarning: nil),
        Opening(namesCallers: true, isOpen: false, isWarning: nil),
    ])
    func `A server is open to those who are trusted where nothing says who may, and warns beyond loopback`(
        _ opening: Opening
    ) {
        let policy = OpenPolicy(
            isLocal: opening.isLocal,
            isInsecure: opening.isInsecure,
            namesCallers: opening.namesCallers
        )
        #expect(policy.isOpen(hasKeys: opening.hasKeys) == opening.isOpen)
        #expect(policy.notice(hasKeys: opening.hasKeys)?.isWarning == opening.isWarning)
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
            policy: OpenPolicy(isLocal: true, isInsecure: false, namesCallers: true),
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
            let admissions = LoopAdmissions()
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

    @Test func `Who shows a certificate has a share apart from those at the address who show nothing`() throws {
        let folder = try TemporaryFolder()
        let issuers = IssuerKeys(
            try TokenIssuers([]),
            fetcher: nil,
            disk: RealDisk(),
            clock: .system,
            onFailure: { _, _ in }
        )
        let store = AdministratorKeyStore(disk: RealDisk(), dataDirectory: folder.path)
        let desk = TokenDesk(
            TokenVerifier(store: store, issuers: issuers, isEmulator: false),
            policy: OpenPolicy(isLocal: false, isInsecure: false, namesCallers: true),
            isEmulator: false,
            shares: CallerShares(CallerBounds(.init(callsPerSecond: 1))),
            refusals: RefusalLog(Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        )
        defer { desk.stop() }
        func share(_ certificate: [UInt8]?) throws -> ObjectIdentifier {
            let shown = certificate.map { Visitor.Certificate(bytes: $0, expires: WallTime(microseconds: .max)) }
            let visitor = Visitor(address: PeerAddress(bytes: [10, 0, 0, 1]), text: "10.0.0.1", certificate: shown)
            let connection = ConnectionDesk(desk, visitor, LoopAdmissions(), on: EmbeddedEventLoop())
            guard case .desk(let recognize, _) = connection.reception else { throw CancellationError() }
            let admission = try #require(recognize(nil))
            let expected = certificate == nil ? Caller.nobody : Caller.administrator
            #expect(admission.caller == expected)
            return ObjectIdentifier(try #require(admission.share))
        }
        let certificates: [[UInt8]?] = [nil, [1], [2], nil, [1], [2]]
        let found = try certificates.map { try share($0) }
        #expect(Set(found).count == 3 && found[..<3] == found[3...])
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
