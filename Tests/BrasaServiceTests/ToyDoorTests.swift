import BrasaDocuments
import BrasaIdentity
import BrasaMessages
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaService

// A door for a protocol of lines, whole: `GET c/x` is answered with `c/x n=1`, or with `! NOT_FOUND …`. docs/doors.md
// explains it.

// Its transport: a connection that takes lines, and has no bound but one line's length.
private final class LineCall: CallTransport, @unchecked Sendable {
    // Used on the loop only, as are all calls.
    private(set) var lines: [String] = []
    private(set) var isFinished = false
    var hasOpenOutcome = false
    private let lineMax: Int
    private var cancelObserver: (() -> Void)?

    init(lineMax: Int = 1_000) { self.lineMax = lineMax }

    var isWritable: Bool { !self.isFinished }
    func onCancel(_ observer: @escaping () -> Void) { self.cancelObserver = observer }
    func hasRoom(for count: Int) -> Bool { self.hold(count) }
    func hold(_ count: Int) -> Bool {
        if count > self.lineMax { self.finish(Status(.resourceExhausted, "The line is too long.")) }
        return !self.isFinished
    }
    func refusal(toHold count: Int) -> Status? { nil }
    func countListeners(_ count: Int) -> Status? { nil }
    func pauseReading() {}
    func resumeReading() {}
    func flushIfMuch() {}

    func write(_ line: String) { if !self.isFinished { self.lines.append(line) } }

    func finish(_ status: Status) {
        if !status.isOK { self.write("! \(status)") }
        self.isFinished = true
    }
}

// Its codec.
private enum LineCodec {
    static func request(_ line: String, in database: DatabaseName) -> GetDocumentRequest? {
        let words = line.split(separator: " ")
        guard words.count == 2, words[0] == "GET", let path = try? ResourcePath(parsing: Array(words[1].utf8)),
            let name = DocumentName(database: database, path: path)
        else { return nil }
        return GetDocumentRequest(name: name)
    }

    static func line(_ response: NamedDocument) -> String {
        let path = response.name.path.string
        guard let field = try? FieldPath(parsing: "n".utf8),
            case .integer(let number)? = response.document?.fields.value(at: field)
        else { return path }
        return "\(path) n=\(number)"
    }
}

// And the door: decodes, hands over, encodes.
private struct LineDoor {
    let service: FirestoreService
    let database: DatabaseName
    private let documents = Door<LineCall, NamedDocument>(
        send: { call, response in
            call.write(LineCodec.line(response))
            return 0
        },
        respond: { call, response in
            let line = LineCodec.line(response)
            guard call.hasRoom(for: line.utf8.count) else { return }
            call.write(line)
            call.finish(.ok)
        },
        respondOutcome: { call, response in
            call.write(LineCodec.line(response))
            call.finish(.ok)
        }
    )

    init(_ service: FirestoreService, _ database: DatabaseName) {
        self.service = service
        self.database = database
    }

    func received(_ line: String, on call: LineCall, from caller: Caller) {
        guard let request = LineCodec.request(line, in: self.database) else {
            return call.finish(Status(.invalidArgument, "No such line."))
        }
        self.service.getDocument(request, for: self.documents.call(call, by: caller))
    }
}

@Suite struct ToyDoorTests {
    @Test(arguments: [
        ("GET c/x", ["c/x n=1"]),
        ("GET c/y", ["! NOT_FOUND: Document \"projects/p/databases/(default)/documents/c/y\" not found."]),
        ("PUT c/x", ["! INVALID_ARGUMENT: No such line."]),
    ])
    func `Another protocol reads documents through the same service`(_ line: String, _ expected: [String]) throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/x", [("n", .integer(1))])])
        let call = LineCall()
        LineDoor(service.service, ServiceUnderTest.database).received(line, on: call, from: .administrator)
        #expect(call.lines == expected && call.isFinished)
    }

    @Test func `An answer that its transport has no room for is refused`() throws {
        let service = try ServiceUnderTest()
        defer { service.close() }
        try service.commit([try set("c/x", [("n", .integer(1))])])
        let call = LineCall(lineMax: 4)
        LineDoor(service.service, ServiceUnderTest.database).received("GET c/x", on: call, from: .administrator)
        #expect(call.lines == ["! RESOURCE_EXHAUSTED: The line is too long."])
    }
}
