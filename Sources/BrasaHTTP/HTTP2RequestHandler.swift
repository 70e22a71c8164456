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
    /// What came of the body, as far as it is wanted; counted until the stream is gone.
    private var body: [UInt8] = []
    /// By any route, as long as it is not known which; then by the request's.
    private var bodyBytesWanted = 0
    private var countedBytes = 0
    /// Ends a request that does not come whole.
    private var limit: Scheduled<Void>?

    init(_ stream: HTTP2Stream, _ door: HTTPDoor) {
        self.stream = stream
        self.door = door
    }

    func received(headers: HTTP2Headers, endStream: Bool) {
        let head = Head(method: headers.string(.method) ?? "", target: headers.string(.path) ?? "")
        self.phase = .identifying(head, isComplete: endStream)
        if !endStream {
            self.bodyBytesWanted = self.door.router.anyBodyBytesMax
            self.limitReceiving()
        }
        let answer = self.door.identify(
            authorization: headers.repeatedValues(.authorization) ?? headers[.authorization].map { Array($0) },
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

    private func giveUp(_ code: HTTP2ErrorCode = .cancel) {
        self.endReceiving()
        self.phase = .over
        self.want(0)
        self.consume()
        self.stream.reset(code)
    }

    private func identified(_ identification: Identification) {
        guard case .identifying(let head, let isComplete) = self.phase else { return }
        self.consume()
        switch identification {
        case .refused: self.send(.unauthenticated, isHead: head.method == "HEAD")
        case .busy: self.send(.busy, isHead: head.method == "HEAD")
        case .admitted(let admission):
            let request = HTTPRequest(
                method: head.method,
                target: head.target,
                caller: admission.caller,
                peer: self.door.peer
            )
            self.phase = .receiving(request)
            self.want(self.door.router.bodyBytesMax(request))
            if isComplete { self.ended() }
        }
    }

    func received(data: ByteBuffer, endStream: Bool) {
        self.unconsumedBytes += data.readableBytes
        self.bodyBytes += data.readableBytes
        guard self.bodyBytes <= HTTPDoor.bodyBytesMax else { return self.giveUp() }
        guard self.keep(data) else { return self.giveUp(.enhanceYourCalm) }
        if case .identifying = self.phase {} else { self.consume() }
        if endStream { self.ended() }
    }

    private func want(_ bytesMax: Int) {
        self.bodyBytesWanted = bytesMax
        if bytesMax == 0 { self.body = [] }
    }

    /// One byte past what is wanted says that there was more. False: there is no room for it.
    private func keep(_ data: ByteBuffer) -> Bool {
        guard self.bodyBytesWanted > 0 else { return true }
        let part = data.readableBytesView.prefix(max(0, self.bodyBytesWanted + 1 - self.body.count))
        guard self.stream.hasRoom(for: part.count) else { return false }
        self.countedBytes += part.count
        self.stream.account.add(part.count)
        self.body.append(contentsOf: part)
        return true
    }

    func received(trailers: HTTP2Headers) { self.ended() }
    func becameWritable() {}

    func closed(_ reason: HTTP2CloseReason) {
        self.endReceiving()
        self.phase = .over
        self.want(0)
        if self.countedBytes > 0 { self.stream.account.remove(self.countedBytes) }
        self.countedBytes = 0
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
            guard self.body.count <= self.bodyBytesWanted else { return self.send(.tooLarge, isHead: isHead) }
            request.body = self.body
            self.want(0)
            self.door.router.answer(request) { self.send($0, isHead: isHead) }
        case .answering, .over: break
        }
    }

    private func send(_ answer: HTTPAnswer, isHead: Bool) {
        self.endReceiving()
        if case .over = self.phase { return }
        self.phase = .over
        self.want(0)
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
