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
        /// An answer in pieces is under way.
        case streaming(HTTPPieces)
        case over
    }

    private struct Head {
        let method: String
        let target: String
        let dialect: HTTPDialect
        let fields: [String: String]
        let page: PageOrigin?
    }

    private let stream: HTTP2Stream
    private let door: HTTPDoor
    private var phase = Phase.over
    private var unconsumedBytes = 0
    private var bodyBytes = 0
    private let body: HTTP2RequestBody
    /// The next piece has its turn already.
    private var isPumping = false
    /// Ends a request that does not come whole.
    private var limit: Scheduled<Void>?

    init(_ stream: HTTP2Stream, _ door: HTTPDoor) {
        self.stream = stream
        self.door = door
        self.body = HTTP2RequestBody(stream.account)
    }

    func received(headers: HTTP2Headers, endStream: Bool) {
        let target = headers.string(.path) ?? ""
        let dialect = self.door.router.dialect(ofTarget: target)
        let head = Head(
            method: headers.string(.method) ?? "",
            target: target,
            dialect: dialect,
            fields: Self.fields(dialect.fieldNames, of: headers),
            page: Self.page(headers)
        )
        self.phase = .identifying(head, isComplete: endStream)
        if !endStream {
            self.body.want(self.door.router.anyBodyBytesMax)
            self.limitReceiving()
        }
        let answer = self.door.identify(
            authorization: self.door.authorization(
                headers.repeatedValues(.authorization) ?? headers[.authorization].map { Array($0) },
                target: target,
                dialect
            ),
            on: self.stream.eventLoop
        ) { self.identified($0) }
        if let answer { self.identified(answer) }
    }

    private static func page(_ headers: HTTP2Headers) -> PageOrigin? {
        let fields = Self.fields(["origin", "host", "sec-fetch-site", "sec-fetch-mode"], of: headers)
        return PageOrigin(host: fields["host"] ?? "") { fields[$0] }
    }

    private static func fields(_ names: [String], of headers: HTTP2Headers) -> [String: String] {
        guard !names.isEmpty else { return [:] }
        var fields: [String: String] = [:]
        for position in 0..<headers.count {
            let (nameBytes, valueBytes) = headers[position]
            let came = String(decoding: nameBytes, as: UTF8.self)
            let name = came == ":authority" ? "host" : came
            guard names.contains(name) else { continue }
            let value = String(decoding: valueBytes, as: UTF8.self)
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        return fields
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
        self.body.drop()
        self.consume()
        self.stream.reset(code)
    }

    private func identified(_ identification: Identification) {
        guard case .identifying(let head, let isComplete) = self.phase else { return }
        self.consume()
        switch identification {
        case .refused: self.send(head.dialect.refused, isHead: head.method == "HEAD")
        case .busy: self.send(head.dialect.busy, isHead: head.method == "HEAD")
        case .admitted(let admission):
            var request = HTTPRequest(
                method: head.method,
                target: head.target,
                caller: admission.caller,
                peer: self.door.peer
            )
            request.fields = head.fields
            request.admission = admission
            request.reception = self.door.reception
            if let refusal = self.door.refusal(request, of: admission, on: head.page) {
                return self.send(refusal, isHead: head.method == "HEAD")
            }
            self.phase = .receiving(request)
            self.body.want(self.door.router.bodyBytesMax(request))
            self.body.claim(self.door.claim(self.body.bytesWanted, for: admission))
            guard self.body.isClaimed else { return self.send(Self.tooManyBytes, isHead: head.method == "HEAD") }
            if isComplete { self.ended() }
        }
    }

    func received(data: ByteBuffer, endStream: Bool) {
        self.unconsumedBytes += data.readableBytes
        self.bodyBytes += data.readableBytes
        guard self.bodyBytes <= HTTPDoor.bodyBytesMax + self.body.bytesWanted else { return self.giveUp() }
        guard self.body.keep(data, of: self.stream) else { return self.giveUp(.enhanceYourCalm) }
        if case .identifying = self.phase {} else { self.consume() }
        if !self.body.isClaimed { self.send(Self.tooManyBytes, isHead: false) }
        if endStream { self.ended() }
    }

    private static let tooManyBytes = HTTPAnswer.tooMany("bytes", retryAfter: 0)

    func received(trailers: HTTP2Headers) { self.ended() }
    func becameWritable() { self.pump() }

    func draining() {
        guard case .streaming(let pieces) = self.phase, pieces.isEndless else { return }
        self.finish(pieces)
    }

    private func finish(_ pieces: HTTPPieces) {
        self.phase = .over
        pieces.stop()
        self.stream.finish()
    }

    func closed(_ reason: HTTP2CloseReason) {
        self.endReceiving()
        if case .streaming(let pieces) = self.phase { pieces.stop() }
        self.phase = .over
        self.body.streamClosed()
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
            guard self.body.isWhole else {
                return self.send(self.door.router.dialect(ofTarget: request.target).tooLarge, isHead: isHead)
            }
            request.body = self.body.handOver()
            self.door.router.answer(request) {
                self.body.answered()
                self.send($0, isHead: isHead)
            }
        case .answering, .streaming, .over: break
        }
    }

    private func send(_ answer: HTTPAnswer, isHead: Bool) {
        self.endReceiving()
        if case .over = self.phase {
            answer.pieces?.stop()
            return
        }
        self.phase = .over
        self.body.drop()
        guard self.stream.hasRoom(for: answer.body.utf8.count) else {
            answer.pieces?.stop()
            return self.stream.reset(.enhanceYourCalm)
        }
        var headers = HTTP2Headers([(.status, String(answer.status))])
        if answer.mayHaveBody {
            headers.append(.contentType, answer.contentType)
            if answer.pieces == nil { headers.append("content-length", String(answer.body.utf8.count)) }
        }
        for field in answer.fields { headers.append(name: Array(field.name.utf8), value: Array(field.value.utf8)) }
        if answer.isSecret { headers.append("cache-control", "no-store") }
        if let seconds = answer.retryAfterSeconds { headers.append("retry-after", String(seconds)) }
        let isOver = isHead || !answer.mayHaveBody
        self.stream.sendHeaders(headers, endStream: isOver)
        guard !isOver else {
            answer.pieces?.stop()
            return
        }
        if let pieces = answer.pieces { return self.begin(pieces) }
        self.stream.sendData(ByteBuffer(string: answer.body))
        self.stream.finish()
    }

    private func begin(_ pieces: HTTPPieces) {
        self.phase = .streaming(pieces)
        let eventLoop = self.stream.eventLoop
        pieces.start { eventLoop.execute { self.pump() } }
        self.pump()
    }

    /// One piece a turn, as long as the client takes them.
    private func pump() {
        guard case .streaming(let pieces) = self.phase, !self.isPumping, self.stream.isWritable else { return }
        switch pieces.next() {
        case .later: return
        case .end: self.finish(pieces)
        case .piece(let bytes):
            guard self.stream.hasRoom(for: bytes.count) else { return self.stream.reset(.enhanceYourCalm) }
            self.stream.sendData(ByteBuffer(bytes: bytes))
            self.isPumping = true
            self.stream.eventLoop.execute {
                self.isPumping = false
                self.pump()
            }
        }
    }
}
