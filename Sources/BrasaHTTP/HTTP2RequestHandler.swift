package import BrasaHTTP2
import BrasaIdentity
import NIOCore

extension HTTPDoor {
    /// Takes the requests of an HTTP/2 connection that are for no other door.
    package var acceptor: HTTP2Acceptor {
        { stream, _ in HTTP2RequestHandler(stream, self) }
    }
}

/// One request of HTTP/2. Used on its connection's event loop only; unchecked, because answers carry it there.
final class HTTP2RequestHandler: HTTP2StreamHandler, @unchecked Sendable {
    private enum Phase {
        /// Until it is known who asks: what comes of the body waits in the client's window.
        case identifying(Head, isComplete: Bool)
        case receiving(HTTPRequest)
        case answering(isHead: Bool)
        case over
    }

    private struct Head {
        let method: String
        let target: String
    }

    private let stream: HTTP2Stream
    private let door: HTTPDoor
    private var phase = Phase.over
    private var unconsumedBytes = 0
    private var bodyBytes = 0
    /// What came of the body, as long as a route may want it.
    private var body: [UInt8] = []
    /// Ends a request that does not come whole.
    private var limit: Scheduled<Void>?

    init(_ stream: HTTP2Stream, _ door: HTTPDoor) {
        self.stream = stream
        self.door = door
    }

    func received(headers: HTTP2Headers, endStream: Bool) {
        let head = Head(method: headers.string(.method) ?? "", target: headers.string(.path) ?? "")
        self.phase = .identifying(head, isComplete: endStream)
        if !endStream { self.limitReceiving() }
        let answer = self.door.identify(
            authorization: headers[.authorization].map { Array($0) },
            on: self.stream.eventLoop
        ) { self.identified($0) }
        if let answer { self.identified(answer) }
    }

    private func limitReceiving() {
        let bound = NIOLoopBound(self, eventLoop: self.stream.eventLoop)
        self.limit = self.stream.eventLoop.scheduleTask(in: self.door.receiveTimeMax) { bound.value.giveUp() }
    }

    private func endReceiving() {
        self.limit?.cancel()
        self.limit = nil
    }

    private func giveUp() {
        self.phase = .over
        self.consume()
        self.stream.reset(.cancel)
    }

    private func identified(_ identification: Identification) {
        guard case .identifying(let head, let isComplete) = self.phase else { return }
        self.consume()
        switch identification {
        case .refused: self.send(.unauthenticated, isHead: head.method == "HEAD")
        case .busy: self.send(.busy, isHead: head.method == "HEAD")
        case .admitted(let admission):
            self.phase = .receiving(
                HTTPRequest(
                    method: head.method,
                    target: head.target,
                    caller: admission.caller,
                    peer: self.door.peer
                )
            )
            if isComplete { self.ended() }
        }
    }

    func received(data: ByteBuffer, endStream: Bool) {
        self.unconsumedBytes += data.readableBytes
        self.bodyBytes += data.readableBytes
        guard self.bodyBytes <= HTTPDoor.bodyBytesMax else {
            self.endReceiving()
            return self.giveUp()
        }
        self.keep(data)
        if case .identifying = self.phase {} else { self.consume() }
        if endStream { self.ended() }
    }

    /// One byte past what is wanted says that there was more.
    private func keep(_ data: ByteBuffer) {
        let bytesMax: Int
        switch self.phase {
        case .identifying: bytesMax = self.door.router.anyBodyBytesMax
        case .receiving(let request): bytesMax = self.door.router.bodyBytesMax(request)
        case .answering, .over: return
        }
        guard bytesMax > 0 else { return }
        self.body.append(contentsOf: data.readableBytesView.prefix(max(0, bytesMax + 1 - self.body.count)))
    }

    func received(trailers: HTTP2Headers) { self.ended() }
    func becameWritable() {}

    func closed(_ reason: HTTP2CloseReason) {
        self.endReceiving()
        self.phase = .over
    }

    private func consume() {
        self.stream.consume(self.unconsumedBytes)
        self.unconsumedBytes = 0
    }

    /// The request is there.
    private func ended() {
        self.endReceiving()
        switch self.phase {
        case .identifying(let head, _): self.phase = .identifying(head, isComplete: true)
        case .receiving(var request):
            let isHead = request.method == "HEAD"
            self.phase = .answering(isHead: isHead)
            let bytesMax = self.door.router.bodyBytesMax(request)
            if bytesMax > 0 {
                guard self.body.count <= bytesMax else { return self.send(.tooLarge, isHead: isHead) }
                request.body = self.body
            }
            self.body = []
            self.door.router.answer(request) { self.send($0, isHead: isHead) }
        case .answering, .over: break
        }
    }

    private func send(_ answer: HTTPAnswer, isHead: Bool) {
        self.endReceiving()
        if case .over = self.phase { return }
        self.phase = .over
        guard self.stream.hasRoom(for: answer.body.utf8.count) else { return self.stream.reset(.enhanceYourCalm) }
        var headers = HTTP2Headers([(.status, String(answer.status)), (.contentType, answer.contentType)])
        headers.append("content-length", String(answer.body.utf8.count))
        if answer.isSecret { headers.append("cache-control", "no-store") }
        self.stream.sendHeaders(headers, endStream: isHead)
        guard !isHead else { return }
        self.stream.sendData(ByteBuffer(string: answer.body))
        self.stream.finish()
    }
}
