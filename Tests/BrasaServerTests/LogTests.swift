import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaStatus
import BrasaWire
import Logging
import NIOCore
import Testing

@testable import BrasaServer

/// What the log says, how, and how often.
@Suite struct LogTests {
    private func logger(_ lines: Recorded<String>, _ format: LogFormat = .text, _ level: Logger.Level = .info) -> Logger
    {
        var logger = Logger(label: "test", factory: { _ in ServerLogHandler(format) { lines.append($0) } })
        logger.logLevel = level
        return logger
    }

    @Test func `Another level holds for all that log already`() {
        let lines = Recorded<String>()
        let level = LogLevel(.warning)
        let logger = Logger(label: "test", factory: { _ in ServerLogHandler(.text, level: level) { lines.append($0) } })
        var other = logger
        other[metadataKey: "a"] = "b"
        other.info("before")
        level.value = .info
        other.info("after")
        logger.debug("less")
        #expect(lines.list.count == 1 && lines.list[0].contains("after"))
        for each in Logger.Level.allCases { #expect(LogLevel(each).value == each) }
    }

    private func report(
        _ status: StatusCode,
        isSlow: Bool = false,
        isDrained: Bool = false,
        peer: SocketAddress? = nil
    ) -> GRPCCallReport {
        GRPCCallReport(
            method: FirestoreMethods.commit,
            status: status,
            isSlow: isSlow,
            isDrained: isDrained,
            duration: .milliseconds(1_500),
            requestBytes: 12,
            responseBytes: 34,
            trace: Array("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01".utf8).withUnsafeBytes {
                TraceContext($0)
            },
            peer: peer
        )
    }

    // MARK: Lines

    @Test(arguments: [
        (LogFormat.text, "2001-09-09T01:46:40.000000Z warning it is so count=7 name=\"a b\" word=plain"),
        (
            .json,
            #"{"time":"2001-09-09T01:46:40.000000Z","level":"warning","message":"it is so","count":7,"name":"a b","word":"plain"}"#
        ),
    ])
    func `A line has its time, level, message and facts`(_ format: LogFormat, _ expected: String) {
        let facts: [(String, Logger.MetadataValue)] = [
            ("count", .stringConvertible(7)), ("name", "a b"), ("word", "plain"),
        ]
        #expect(format.line(at: 1_000_000_000_000_000, .warning, "it is so", facts) == expected)
    }

    @Test(arguments: LogFormat.allCases, ["a\nb", "a\rb", "a\u{1B}[2Jb", "a\u{2028}b", "\"=\"", "", "\u{0}", "é ☃"])
    func `What strangers say stays within its line and its field`(_ format: LogFormat, _ text: String) {
        let line = format.line(at: 0, .info, "message", [("who", .string(text)), ("other", "x")])
        let isOneLine = line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        #expect(isOneLine)
        #expect(line.hasSuffix(format == .text ? " other=x" : #","other":"x"}"#))
    }

    @Test func `An error that comes with an event is one of its facts`() {
        struct Odd: Error, CustomStringConvertible { let description = "odd one" }
        let lines = Recorded<String>()
        let logger = self.logger(lines)
        logger.error("it is so", error: Odd(), metadata: ["count": "7"])
        logger.error("it is so", error: Odd(), metadata: ["error": "said already"])
        let texts = lines.list.map { $0.drop { $0 != " " }.dropFirst() }
        #expect(
            texts == [
                "error it is so count=7 error=\"odd one\"\n", "error it is so error=\"said already\"\n",
            ]
        )
    }

    // MARK: Calls

    @Test func `A call that failed or was slow has one line with all that is known of it`() throws {
        let lines = Recorded<String>()
        let log = CallLog(self.logger(lines))
        let peer = try SocketAddress(ipAddress: "2001:db8::1", port: 5)
        log.note(self.report(.unavailable, peer: peer), by: .user(User(id: "ann")))
        log.note(self.report(.ok, isSlow: true), by: .administrator)
        let texts = lines.list.map { $0.drop { $0 != " " }.dropFirst() }
        #expect(
            texts == [
                """
                warning call failed caller=user:ann method=google.firestore.v1.Firestore/Commit peer=[2001:db8::1]:5 \
                request_bytes=12 response_bytes=34 seconds=1.5 span_id=00f067aa0ba902b7 status=UNAVAILABLE \
                trace_id=0af7651916cd43dd8448eb211c80319c

                """,
                """
                info call was slow caller=administrator method=google.firestore.v1.Firestore/Commit \
                request_bytes=12 response_bytes=34 seconds=1.5 span_id=00f067aa0ba902b7 status=OK \
                trace_id=0af7651916cd43dd8448eb211c80319c

                """,
            ]
        )
    }

    @Test(arguments: [
        (Caller.nobody, "nobody"),
        (.restricted(Restriction(isReadOnly: true, databases: [])), "administrator:read-only"),
        (.restricted(Restriction(isReadOnly: false, databases: ["d"])), "administrator:limited"),
    ])
    func `A call's line says for whom it was`(_ caller: Caller, _ text: String) {
        let lines = Recorded<String>()
        CallLog(self.logger(lines)).note(self.report(.unavailable), by: caller)
        #expect(lines.list.count == 1 && lines.list[0].contains(" caller=\(text) "))
    }

    @Test(arguments: [
        (StatusCode.ok, nil as Logger.Level?), (.notFound, .debug), (.aborted, .debug), (.cancelled, .debug),
        (.invalidArgument, .info), (.unauthenticated, .info), (.permissionDenied, .info), (.unimplemented, .info),
        (.resourceExhausted, .warning), (.deadlineExceeded, .warning), (.internal, .warning), (.dataLoss, .warning),
    ])
    func
        `The server's failures are warnings, clients' mistakes are not, and ordinary answers are for who wants to see all`(
            _ status: StatusCode,
            _ level: Logger.Level?
        )
    {
        #expect(CallLog.Kind(status, isSlow: false)?.level == level)
    }

    @Test(arguments: [
        (StatusCode.unavailable, false, CallLog.Kind.ordinary), (.unavailable, true, .slow),
        // It is not known whether what was asked for has happened.
        (.dataLoss, false, .failed),
    ])
    func `What a server ends because it stops has not failed`(
        _ status: StatusCode,
        isSlow: Bool,
        _ expected: CallLog.Kind
    ) {
        let lines = Recorded<String>()
        let log = CallLog(self.logger(lines, .text, .trace))
        log.note(self.report(status, isSlow: isSlow, isDrained: true), by: .nobody)
        #expect(lines.list.count == 1)
        #expect(lines.list.first?.contains(" \(expected.level) \(expected.message) ") == true)
        #expect(CallLog.Kind(.unavailable, isSlow: isSlow) == .failed)
    }

    @Test func `Lines of a kind are bounded by the minute, and what is left out is said`() {
        let lines = Recorded<String>()
        let log = CallLog(self.logger(lines))
        let start = NIODeadline.now()
        for number in 0..<1_000 {
            log.note(self.report(.invalidArgument), by: .nobody, now: start + .milliseconds(Int64(number)))
        }
        #expect(lines.list.count == 60)
        // Others have lines of their own.
        log.note(self.report(.internal), by: .nobody, now: start + .seconds(1))
        #expect(lines.list.count == 61 && lines.list.last?.contains("call failed") == true)
        log.note(self.report(.invalidArgument), by: .nobody, now: start + .seconds(60))
        #expect(lines.list.count == 62 && lines.list.last?.contains(" left_out=940 ") == true)
        log.note(self.report(.invalidArgument), by: .nobody, now: start + .seconds(61))
        #expect(lines.list.last?.contains("left_out") == false)
    }

    // MARK: Connections

    @Test func `Connections that break the protocol are told with their reason, others to who wants to see all`() throws
    {
        let lines = Recorded<String>()
        let log = ConnectionLog(self.logger(lines))
        let peer = try SocketAddress(ipAddress: "10.0.0.1", port: 5)
        for _ in 0..<100 { log.ended(.frameFlood, peer: peer) }
        log.ended(.peer, peer: peer)
        #expect(lines.list.count == 20 && log[.frameFlood] == 100 && log[.peer] == 1)
        #expect(lines.list.first?.hasSuffix(" info connection closed peer=10.0.0.1:5 reason=frame_flood\n") == true)
    }

    // MARK: A server

    @Test func `A server tells of the calls that it refused and the connections that it ended`() async throws {
        let lines = Recorded<String>()
        let server = try await RunningServer(RunningServer.configuration(), logger: self.logger(lines, .json, .debug))
        let client = try await server.connect()
        let database = try DatabaseName(parsing: "projects/p/databases/(default)".utf8)
        let name = try DocumentName(parsing: "\(database.string)/documents/c/none".utf8)
        await #expect(throws: (any Error).self) {
            _ = try await client.unary { $0.getDocument(GetDocumentRequest(name: name), completion: $1) }
        }
        _ = try await server.exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nthis is no frame of settings at all")
        try await client.channel.close()
        try await server.stop()
        let calls = lines.list.filter { $0.contains(#""message":"call ended""#) }
        #expect(calls.count == 1 && calls[0].contains(#""status":"NOT_FOUND""#))
        #expect(calls[0].contains(#""caller":"administrator""#) && calls[0].contains(#""peer":"127.0.0.1:"#))
        #expect(lines.list.contains { $0.contains(#""reason":"protocol_error""#) })
        // Whichever was first.
        #expect(lines.list.contains { $0.contains(#""reason":"peer""#) || $0.contains(#""reason":"drained""#) })
    }
}
