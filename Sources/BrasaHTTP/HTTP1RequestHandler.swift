import BrasaIdentity
package import NIOCore
package import NIOHTTP1

/// The requests of one HTTP/1.1 connection.
///
/// One request at a time: the next is looked at when the socket has taken the answer before it, in a turn of its own.
package final class HTTP1RequestHandler: ChannelInboundHandler {
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
    /// Counts requests: whose answer it is that comes late.
    private var number = 0

    package init(_ door: HTTPDoor) {
        self.door = door
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.bodyBytes = 0
            self.body = []
            self.bodyBytesWanted = self.door.router.anyBodyBytesMax
            self.identify(head, context: context)
        case .body(let part):
            self.bodyBytes += part.readableBytes
            if self.bodyBytes > HTTPDoor.bodyBytesMax {
                self.phase = .over
                self.want(0)
                return context.close(promise: nil)
            }
            self.keep(part)
        case .end:
            self.ended(context: context)
        }
    }

    private func want(_ bytesMax: Int) {
        self.bodyBytesWanted = bytesMax
        if bytesMax == 0 { self.body = [] }
    }

    /// One byte past what is wanted says that there was more.
    private func keep(_ part: ByteBuffer) {
        guard self.bodyBytesWanted > 0 else { return }
        let bytesMax = max(0, self.bodyBytesWanted + 1 - self.body.count)
        self.body.append(contentsOf: part.readableBytesView.prefix(bytesMax))
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        if case .answering = self.phase { return }
        context.close(promise: nil)
    }

    private func identify(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.phase = .identifying(head, isComplete: false)
        self.number += 1
        let number = self.number
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let answer = self.door.identify(
            authorization: Self.authorization(head.headers),
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
        switch identification {
        case .refused: self.refuse(head, .unauthenticated)
        case .busy: self.refuse(head, .busy)
        case .admitted(let admission):
            let request = HTTPRequest(
                method: head.method.rawValue,
                target: head.uri,
                caller: admission.caller,
                peer: self.door.peer
            )
            self.phase = .receiving(head, request)
            self.want(self.door.router.bodyBytesMax(request))
        }
        if isComplete { self.ended(context: context) }
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
                return self.write(.tooLarge, to: head, context: context)
            }
            request.body = self.body
            self.want(0)
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            self.door.router.answer(request) { answer in
                let (handler, context) = bound.value
                handler.write(answer, to: head, context: context)
            }
        case .idle, .answering, .over: break
        }
    }

    private func write(_ answer: HTTPAnswer, to head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.phase = .idle
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: answer.contentType)
        headers.add(name: "content-length", value: String(answer.body.utf8.count))
        if answer.isSecret { headers.add(name: "cache-control", value: "no-store") }
        if !head.isKeepAlive {
            headers.add(name: "connection", value: "close")
        } else if head.version == .http1_0 {
            headers.add(name: "connection", value: "keep-alive")
        }
        let status = HTTPResponseStatus(statusCode: answer.status)
        let response = HTTPResponseHead(version: head.version, status: status, headers: headers)
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
