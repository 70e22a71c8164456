import BrasaDocuments
import BrasaMessages
import BrasaService
import NIOCore
import NIOHTTP1

/// The HTTP/1.1 side of the port: `GET /` for readiness probes, `GET /metrics` for Prometheus, and the emulator's
/// endpoint that clears a database.
///
/// One request at a time per connection: the next is looked at when the socket has taken the answer before it, in a turn of
/// its own. Bodies are ignored up to a bound.
final class PlainEndpoints: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    struct Answer {
        var status: HTTPResponseStatus
        var contentType = "text/plain; charset=utf-8"
        var body: String
    }

    /// Tools send no body or a few bytes of JSON.
    private static let bodyBytesMax = 1 << 20

    private let emulator: Bool
    private let service: FirestoreService
    private let metrics: () -> Metrics
    private var request: HTTPRequestHead?
    private var bodyBytes = 0
    private var isAnswering = false

    init(emulator: Bool, service: FirestoreService, metrics: @escaping () -> Metrics) {
        self.emulator = emulator
        self.service = service
        self.metrics = metrics
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.request = head
            self.bodyBytes = 0
        case .body(let part):
            self.bodyBytes += part.readableBytes
            if self.bodyBytes > Self.bodyBytesMax {
                context.close(promise: nil)
            }
        case .end:
            guard let head = self.request else { return }
            self.request = nil
            self.answer(head, context: context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        if !self.isAnswering { context.close(promise: nil) }
    }

    private func answer(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.isAnswering = true
        let path = head.uri.prefix { $0 != "?" }
        if path == "/" {
            let answer = self.read(head) { Answer(status: .ok, body: "Ok\n") }
            return self.write(answer, to: head, context: context)
        }
        if path == "/metrics" {
            let answer = self.read(head) {
                Answer(status: .ok, contentType: Metrics.contentType, body: self.metrics().text)
            }
            return self.write(answer, to: head, context: context)
        }
        guard let route = EmulatorRoute(path: path) else {
            self.write(Answer(status: .notFound, body: "nothing is served at \(path)\n"), to: head, context: context)
            return
        }
        guard self.emulator else {
            let reason = "this server runs without --emulator, so databases cannot be cleared\n"
            self.write(Answer(status: .forbidden, body: reason), to: head, context: context)
            return
        }
        guard head.method == .DELETE else {
            self.write(Answer(status: .notFound, body: "only DELETE is served here\n"), to: head, context: context)
            return
        }
        self.clear(route, head: head, context: context)
    }

    /// For what can only be read.
    private func read(_ head: HTTPRequestHead, _ answer: () -> Answer) -> Answer {
        guard head.method == .GET || head.method == .HEAD else {
            return Answer(status: .methodNotAllowed, body: "\(head.method.rawValue) is not supported here\n")
        }
        return answer()
    }

    private func clear(_ route: EmulatorRoute, head: HTTPRequestHead, context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.service.clear(route.database) { error in
            let (handler, context) = bound.value
            let answer =
                if let error {
                    Answer(status: .serviceUnavailable, body: "\(error)\n")
                } else {
                    Answer(status: .ok, contentType: "application/json; charset=utf-8", body: "{}")
                }
            handler.write(answer, to: head, context: context)
        }
    }

    private func write(_ answer: Answer, to head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.isAnswering = false
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: answer.contentType)
        headers.add(name: "content-length", value: String(answer.body.utf8.count))
        if !head.isKeepAlive {
            headers.add(name: "connection", value: "close")
        } else if head.version == .http1_0 {
            headers.add(name: "connection", value: "keep-alive")
        }
        let response = HTTPResponseHead(version: head.version, status: answer.status, headers: headers)
        let written = context.eventLoop.makePromise(of: Void.self)
        if head.method == .HEAD {
            context.write(self.wrapOutboundOut(.head(response)), promise: written)
        } else {
            context.write(self.wrapOutboundOut(.head(response)), promise: nil)
            context.write(
                self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))),
                promise: written
            )
        }
        context.flush()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let keepAlive = head.isKeepAlive
        written.futureResult.whenComplete { result in
            guard keepAlive, case .success = result else { return bound.value.1.close(promise: nil) }
            bound.eventLoop.execute {
                let (handler, context) = bound.value
                context.writeAndFlush(handler.wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}

/// `/emulator/v1/projects/{p}/databases/{d}/documents`, percent-decoded segment by segment.
struct EmulatorRoute {
    var database: DatabaseName

    /// Nil when the path is another one.
    init?(path: Substring) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { segment in
            PercentDecoding.decode(segment.utf8)
        }
        guard segments.count == 7,
            segments[0] == "emulator", segments[1] == "v1", segments[2] == "projects", segments[4] == "databases",
            segments[6] == "documents",
            let project = segments[3], let database = segments[5],
            let name = try? DatabaseName(parsing: "projects/\(project)/databases/\(database)".utf8)
        else { return nil }
        self.database = name
    }
}

enum PercentDecoding {
    /// Nil when an escape is incomplete or the result is not UTF-8.
    static func decode(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(Self.digit), let low = iterator.next().flatMap(Self.digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
