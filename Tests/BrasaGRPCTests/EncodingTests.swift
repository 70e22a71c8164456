import BrasaHTTP2
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

@Suite struct EncodingTests {
    @Test(arguments: [
        ("1n", 1), ("99999999n", 99_999_999), ("5u", 5_000), ("20m", 20_000_000), ("60S", 60_000_000_000),
        ("2M", 120_000_000_000), ("24H", 86_400_000_000_000), ("00000001S", 1_000_000_000), ("0S", 0),
        ("99999999H", Int64.max), ("99999999M", 5_999_999_940_000_000_000),
    ])
    func `Timeouts are parsed`(text: String, nanoseconds: Int64) {
        #expect(GRPCTimeout.parse(Array(text.utf8))?.nanoseconds == nanoseconds)
    }

    @Test(arguments: ["", "S", "1", "1s", "1 S", "-1S", "+1S", "123456789S", "1.5S", "1SS", "S1", "１S", "1h"])
    func `Malformed timeouts are refused`(text: String) {
        #expect(GRPCTimeout.parse(Array(text.utf8)) == nil)
    }

    @Test func `Encoded timeouts never come short`() throws {
        let samples: [Int64] = [
            0, 1, 99_999_999, 100_000_000, 100_000_001, 60_000_000_000, 99_999_999_001, 86_400_000_000_000,
            123_456_789_012_345_678, .max,
        ]
        for nanoseconds in samples {
            let text = GRPCTimeout.encode(.nanoseconds(nanoseconds))
            let parsed = try #require(GRPCTimeout.parse(Array(text.utf8))).nanoseconds
            #expect(parsed >= nanoseconds, "\(text)")
            #expect(Double(parsed) <= Double(nanoseconds) * 1.001 + 1, "\(text)")
        }
        #expect(GRPCTimeout.encode(.seconds(60)) == "60000000u")
        #expect(GRPCTimeout.encode(.nanoseconds(-5)) == "0n")
    }

    @Test(arguments: [
        ("plain text ?#&= stays", "plain text ?#&= stays"), ("100%", "100%25"), ("a\nb", "a%0Ab"),
        ("Ü", "%C3%9C"), ("\u{7F}", "%7F"), ("~", "~"), ("", ""), ("🔥", "%F0%9F%94%A5"),
    ])
    func `Messages are escaped as little as possible`(message: String, escaped: String) {
        #expect(String(decoding: StatusMessageText.encode(message), as: UTF8.self) == escaped)
        #expect(StatusMessageText.decode(escaped.utf8) == message)
    }

    @Test(arguments: [("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%e2%82%ac", "€"), ("a%FF", "a\u{FFFD}")])
    func `Damaged escapes decode to something`(escaped: String, message: String) {
        #expect(StatusMessageText.decode(escaped.utf8) == message)
    }

    @Test func `Long messages are cut before clients refuse them`() {
        let encoded = StatusMessageText.encode(String(repeating: "é", count: 100_000))
        #expect(encoded.count <= StatusMessageText.encodedBytesMax)
        #expect(encoded.count > StatusMessageText.encodedBytesMax - 6)
    }

    @Test func `Binary metadata is read up to the first comma`() {
        var metadata = GRPCMetadata()
        metadata.append("x-one-bin", binary: [1, 2, 3, 255])
        metadata.append("x-two-bin", "AQI=,AwQ")
        metadata.append("x-bad-bin", "!!")
        #expect(metadata.binary("x-one-bin") == [1, 2, 3, 255])
        #expect(metadata.string("x-one-bin") == "AQID/w")
        #expect(metadata.binary("x-two-bin") == [1, 2])
        #expect(metadata.binary("x-bad-bin") == nil)
        #expect(metadata.binary("x-missing-bin") == nil)
    }

    @Test(arguments: [
        (400, StatusCode.internal), (401, .unauthenticated), (403, .permissionDenied), (404, .unimplemented),
        (429, .unavailable), (502, .unavailable), (503, .unavailable), (504, .unavailable), (500, .unknown),
        (302, .unknown), (0, .unknown),
    ])
    func `Foreign responses map to codes`(http: Int, code: StatusCode) {
        #expect(StatusCode(responseStatus: http) == code)
    }

    @Test func `Codes have their numbers names and HTTP statuses`() {
        let http = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401]
        #expect(StatusCode.allCases.map(\.rawValue) == Array(0...16))
        #expect(StatusCode.allCases.map(\.httpStatus) == http)
        #expect(Set(StatusCode.allCases.map(\.name)).count == 17)
    }

    @Test(arguments: [
        GRPCStatus.ok, GRPCStatus(.notFound, "no 100% Ü"), GRPCStatus(.aborted),
        GRPCStatus(.internal, "x", details: [8, 13]),
    ])
    func `Statuses travel in trailers`(status: GRPCStatus) {
        #expect(GRPCStatus(trailers: status.trailers(with: nil)) == status)
    }

    @Test func `Foreign trailers give a status or none`() {
        #expect(GRPCStatus(trailers: HTTP2Headers()) == nil)
        #expect(GRPCStatus(trailers: HTTP2Headers([(.grpcStatus, "99")]))?.code == .unknown)
        #expect(GRPCStatus(trailers: HTTP2Headers([(.grpcStatus, "x")]))?.code == .unknown)
        #expect(
            GRPCStatus(trailers: HTTP2Headers([(.grpcStatus, "05"), (.grpcMessage, "a%20b")]))
                == GRPCStatus(.notFound, "a b")
        )
    }

    @Test func `Accepted encodings are read`() {
        #expect(GRPCEncoding.acceptsGzip("identity, deflate, gzip".utf8))
        #expect(GRPCEncoding.acceptsGzip("gzip;q=1".utf8))
        #expect(!GRPCEncoding.acceptsGzip("identity,xgzip,gzipx".utf8))
        #expect(!GRPCEncoding.acceptsGzip("".utf8))
    }

    @Test func `Retries back off and end`() {
        let policy = GRPCRetryPolicy(
            codes: [.unavailable],
            initialBackoff: .milliseconds(100),
            multiplier: 2,
            backoffMax: .milliseconds(300),
            jitter: 0.5,
            attemptsMax: 4
        )
        let unavailable = GRPCCallResult(GRPCStatus(.unavailable))
        #expect(policy.backoff(after: unavailable, attempts: 1, chance: 0.5) == .milliseconds(100))
        #expect(policy.backoff(after: unavailable, attempts: 1, chance: 0) == .milliseconds(50))
        #expect(policy.backoff(after: unavailable, attempts: 2, chance: 0.5) == .milliseconds(200))
        #expect(policy.backoff(after: unavailable, attempts: 3, chance: 1) == .milliseconds(300))
        #expect(policy.backoff(after: unavailable, attempts: 4, chance: 0) == nil)
        #expect(policy.backoff(after: GRPCCallResult(GRPCStatus(.aborted)), attempts: 1, chance: 0) == nil)
        #expect(
            policy.backoff(after: GRPCCallResult(GRPCStatus(.aborted), isSafeToRepeat: true), attempts: 1, chance: 0.5)
                != nil
        )
    }

    @Test func `What must not be done twice is repeated on the server's own word only`() {
        let policy = GRPCRetryPolicy(
            codes: [.resourceExhausted],
            answersOnly: true,
            initialBackoff: .milliseconds(100),
            multiplier: 2,
            backoffMax: .milliseconds(300),
            jitter: 0,
            attemptsMax: 2
        )
        let status = GRPCStatus(.resourceExhausted)
        let guessed = GRPCCallResult(status)
        let answered = GRPCCallResult(status, isAnswer: true)
        let refused = GRPCCallResult(GRPCStatus(.unavailable), isSafeToRepeat: true)
        #expect(policy.backoff(after: guessed, attempts: 1, chance: 0) == nil)
        #expect(policy.backoff(after: answered, attempts: 1, chance: 0) == .milliseconds(100))
        #expect(policy.backoff(after: refused, attempts: 1, chance: 0) == .milliseconds(100))
    }
}
