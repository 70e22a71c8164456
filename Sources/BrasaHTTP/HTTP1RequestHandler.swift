import BrasaHTTP2
import BrasaIdentity
package import NIOCore
package import NIOHTTP1

/// The requests of one HTTP/1.1 connection.
///
/// One request at a time: the next is looked at when the socket has taken the answer before it, in a turn of its own.
package final class HTTP1RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        /// Between requests.
        case idle
        /// Until it is known who asks: nothing more is read.
        case identifying(HTTPRequestHead, isComplete: Bool)
        case receiving(HTTPRequestHead, HTTPRequest)
        /// Who asks is told so when all of the request is there.
        case refusing(HTTPRequestHead, HTTPAnswer)
        case answering
        /// It was answered before it was there: the rest of it is passed over, so that the client gets to read the answer.
        case passing
        /// An answer in pieces is under way.
        case streaming(HTTPPieces, keepAlive: Bool)
        /// The connection is being closed.
        case over
    }

    private let door: HTTPDoor
    private var phase = Phase.idle
    private var bodyBytes = 0
    /// What came of the body, as far as it is wanted.
    private var body: [UInt8] = []
    /// By any route, as long as it is not known which; then by the request's.
    private var bodyBytesWanted = 0
    /// Of the body, for its caller.
    private var claim: CallerClaim?
    /// Of the body, from the budget.
    private var drawnBytes = 0
    /// A piece is on its way to the socket.
    private var isWriting = false
    /// Counts requests: whose answer it is that comes late.
    private var number = 0
    /// Ends the connection when a request that has begun does not come whole, however steadily it trickles.
    private var limit: Scheduled<Void>?
    /// Something was parsed of what was read last.
    private var hasParsed = false

    package init(_ door: HTTPDoor) {
        self.door = door
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.hasParsed = true
        switch self.unwrapInboundIn(data) {
        case .head(var head):
            if let absolute = AbsoluteTarget(head.uri) {
                head.uri = absolute.target
                head.headers.replaceOrAdd(name: "host", value: absolute.authority)
            }
            self.limitReceiving(context: context)
            self.bodyBytes = 0
            self.body = []
            self.bodyBytesWanted = self.door.router.anyBodyBytesMax
            self.identify(head, context: context)
        case .body(let part):
            self.bodyBytes += part.readableBytes
            if case .passing = self.phase { return }
            guard self.bodyBytes <= HTTPDoor.bodyBytesMax + self.bodyBytesWanted else {
                return self.endEarly(context: context)
            }
            if !self.keep(part) {
                self.phase = .over
                self.want(0)
                return context.close(promise: nil)
            }
        case .end:
            self.endReceiving()
            if case .passing = self.phase { return context.close(promise: nil) }
            self.ended(context: context)
        }
    }

    /// More comes than anybody wants: it is answered, and what still comes is passed over until its end or its time.
    private func endEarly(context: ChannelHandlerContext) {
        switch self.phase {
        case .refusing(let head, let answer): self.write(answer, to: head, isEarly: true, context: context)
        case .receiving(let head, _):
            let answer = self.door.router.dialect(ofTarget: head.uri).tooLarge
            self.want(0)
            self.write(answer, to: head, isEarly: true, context: context)
        default:
            self.phase = .over
            self.want(0)
            context.close(promise: nil)
        }
    }

    /// What was read and came to nothing is the beginning of a head.
    package func channelReadComplete(context: ChannelHandlerContext) {
        if case .idle = self.phase, !self.hasParsed { self.limitReceiving(context: context) }
        self.hasParsed = false
        context.fireChannelReadComplete()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { self.endReceiving() }

    /// From the first of a request that was seen: its head, or a part of one.
    private func limitReceiving(context: ChannelHandlerContext) {
        guard self.limit == nil else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        self.limit = context.eventLoop.scheduleTask(in: self.door.receiveTimeMax) { bound.value.close(promise: nil) }
    }

    private func endReceiving() {
        self.limit?.cancel()
        self.limit = nil
    }

    private func want(_ bytesMax: Int) {
        self.bodyBytesWanted = bytesMax
        guard bytesMax == 0 else { return }
        self.body = []
        self.claim = nil
        self.door.budget?.giveBack(self.drawnBytes)
        self.drawnBytes = 0
    }

    /// One byte past what is wanted says that there was more. False: there is no room for it.
    private func keep(_ part: ByteBuffer) -> Bool {
        guard self.bodyBytesWanted > 0 else { return true }
        let bytes = part.readableBytesView.prefix(max(0, self.bodyBytesWanted + 1 - self.body.count))
        if let budget = self.door.budget {
            guard budget.draw(bytes.count, holding: self.drawnBytes) else { return false }
            self.drawnBytes += bytes.count
        }
        self.body.append(contentsOf: bytes)
        if case .receiving(let head, _) = self.phase, !self.isClaimed { self.refuse(head, Self.tooManyBytes) }
        return true
    }

    package func channelInactive(context: ChannelHandlerContext) {
        let phase = self.phase
        self.phase = .over
        self.number += 1
        self.want(0)
        self.endReceiving()
        if case .streaming(let pieces, _) = phase { pieces.stop() }
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        switch self.phase {
        case .answering: return
        // One that has nothing to say is not to blame; one that is not read is.
        case .streaming where !self.isWriting: return
        default: break
        }
        context.close(promise: nil)
    }

    private func identify(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.phase = .identifying(head, isComplete: false)
        self.number += 1
        let number = self.number
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let dialect = self.door.router.dialect(ofTarget: head.uri)
        let answer = self.door.identify(
            authorization: self.door.authorization(Self.authorization(head.headers), target: head.uri, dialect),
            on: context.eventLoop
        ) { answer in
            let (handler, context) = bound.value
            guard handler.number == number else { return }
            Self.setReading(true, context: context)
            handler.identified(answer, context: context)
        }
        if let answer { return self.identified(answer, context: context) }
        Self.setReading(false, context: context)
    }

    /// Several are one that nobody knows: not the first of them, when what is in front took the last.
    private static func authorization(_ headers: HTTPHeaders) -> [UInt8]? {
        let values = headers["authorization"]
        return values.isEmpty ? nil : Array(values.joined(separator: ", ").utf8)
    }

    private static func setReading(_ isReading: Bool, context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private func identified(_ identification: Identification, context: ChannelHandlerContext) {
        guard case .identifying(let head, let isComplete) = self.phase else { return }
        let dialect = self.door.router.dialect(ofTarget: head.uri)
        switch identification {
        case .refused: self.refuse(head, dialect.refused)
        case .busy: self.refuse(head, dialect.busy)
        case .admitted(let admission):
            var request = HTTPRequest(
                method: head.method.rawValue,
                target: head.uri,
                caller: admission.caller,
                peer: self.door.peer
            )
            request.admission = admission
            request.reception = self.door.reception
            for name in dialect.fieldNames {
                let values = head.headers[name]
                if !values.isEmpty { request.fields[name] = values.joined(separator: ", ") }
            }
            if let refusal = self.door.refusal(request, of: admission, on: Self.page(head.headers)) {
                self.refuse(head, refusal)
            } else {
                self.phase = .receiving(head, request)
                self.want(self.door.router.bodyBytesMax(request))
                self.claim = self.door.claim(self.bodyBytesWanted, for: admission)
                if !self.isClaimed { self.refuse(head, Self.tooManyBytes) }
            }
        }
        if isComplete { self.ended(context: context) }
    }

    private static let tooManyBytes = HTTPAnswer.tooMany("bytes", retryAfter: 0)

    /// What is kept of the body is not more than the caller may have.
    private var isClaimed: Bool { self.claim?.setBytes(self.body.count) ?? true }

    private static func page(_ headers: HTTPHeaders) -> PageOrigin? {
        PageOrigin(host: headers["host"].first ?? "") { name in
            let values = headers[name]
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
    }

    private func refuse(_ head: HTTPRequestHead, _ answer: HTTPAnswer) {
        self.phase = .refusing(head, answer)
        self.want(0)
    }

    /// The request is there.
    private func ended(context: ChannelHandlerContext) {
        switch self.phase {
        case .identifying(let head, _): self.phase = .identifying(head, isComplete: true)
        case .refusing(let head, let answer):
            self.phase = .answering
            self.write(answer, to: head, context: context)
        case .receiving(let head, var request):
            self.phase = .answering
            guard self.body.count <= self.bodyBytesWanted else {
                self.want(0)
                return self.write(self.door.router.dialect(ofTarget: head.uri).tooLarge, to: head, context: context)
            }
            request.body = self.body
            self.body = []
            self.bodyBytesWanted = 0
            // Whoever answers keeps it until then, though the connection may be gone.
            let (drawn, claim) = (DrawnBytes(self.drawnBytes, from: self.door.budget), self.claim)
            self.drawnBytes = 0
            self.claim = nil
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            self.door.router.answer(request) { answer in
                withExtendedLifetime(claim) { drawn.giveBack() }
                let (handler, context) = bound.value
                handler.write(answer, to: head, context: context)
            }
        case .idle, .answering, .passing, .streaming, .over: break
        }
    }

    private func write(
        _ answer: HTTPAnswer,
        to head: HTTPRequestHead,
        isEarly: Bool = false,
        context: ChannelHandlerContext
    ) {
        if case .over = self.phase {
            answer.pieces?.stop()
            return
        }
        self.phase = isEarly ? .passing : .idle
        var headers = HTTPHeaders()
        if answer.mayHaveBody {
            headers.add(name: "content-type", value: answer.contentType)
            if answer.pieces == nil { headers.add(name: "content-length", value: String(answer.body.utf8.count)) }
        }
        for field in answer.fields { headers.add(name: field.name, value: field.value) }
        if answer.isSecret { headers.add(name: "cache-control", value: "no-store") }
        if let seconds = answer.retryAfterSeconds { headers.add(name: "retry-after", value: String(seconds)) }
        // Without a length, the end of an old version's body is the connection's; and a head alone must not be followed by
        // the mark that ends chunks.
        let isFramed = answer.pieces == nil || head.version != .http1_0 && head.method != .HEAD
        let keepAlive = head.isKeepAlive && isFramed && !isEarly
        if !keepAlive {
            headers.add(name: "connection", value: "close")
        } else if head.version == .http1_0 {
            headers.add(name: "connection", value: "keep-alive")
        }
        let status = HTTPResponseStatus(statusCode: answer.status)
        let response = HTTPResponseHead(version: head.version, status: status, headers: headers)
        if let pieces = answer.pieces, head.method != .HEAD {
            context.writeAndFlush(self.wrapOutboundOut(.head(response)), promise: nil)
            return self.stream(pieces, keepAlive: keepAlive, context: context)
        }
        answer.pieces?.stop()
        let written = context.eventLoop.makePromise(of: Void.self)
        if head.method == .HEAD || !answer.mayHaveBody {
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
        written.futureResult.whenComplete { result in
            if isEarly, case .success = result { return }
            guard keepAlive, case .success = result else { return bound.value.1.close(promise: nil) }
            bound.eventLoop.execute {
                let (handler, context) = bound.value
                context.writeAndFlush(handler.wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }

    /// The server stops: what would go on for ever ends here, everything else where it ends.
    package func drain(_ channel: any Channel) {
        guard let context = try? channel.pipeline.syncOperations.context(handler: self) else { return }
        guard case .streaming(let pieces, _) = self.phase, pieces.isEndless else { return }
        self.phase = .over
        pieces.stop()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: written)
    }

    private func stream(_ pieces: HTTPPieces, keepAlive: Bool, context: ChannelHandlerContext) {
        self.phase = .streaming(pieces, keepAlive: keepAlive)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (number, eventLoop) = (self.number, context.eventLoop)
        pieces.start {
            eventLoop.execute {
                let (handler, context) = bound.value
                if handler.number == number { handler.pump(context: context) }
            }
        }
        self.pump(context: context)
    }

    /// One piece a turn, and the next when the socket has taken it.
    private func pump(context: ChannelHandlerContext) {
        guard case .streaming(let pieces, let keepAlive) = self.phase, !self.isWriting else { return }
        let part: HTTPServerResponsePart
        let isEnd: Bool
        switch pieces.next() {
        case .later: return
        case .piece(let bytes): (part, isEnd) = (.body(.byteBuffer(ByteBuffer(bytes: bytes))), false)
        case .end:
            (part, isEnd) = (.end(nil), true)
            self.phase = .idle
            pieces.stop()
        }
        self.isWriting = !isEnd
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        written.futureResult.whenComplete { result in
            guard case .success = result, keepAlive || !isEnd else { return bound.value.1.close(promise: nil) }
            guard !isEnd else { return }
            eventLoop.execute {
                let (handler, context) = bound.value
                handler.isWriting = false
                handler.pump(context: context)
            }
        }
        context.writeAndFlush(self.wrapOutboundOut(part), promise: written)
    }
}
