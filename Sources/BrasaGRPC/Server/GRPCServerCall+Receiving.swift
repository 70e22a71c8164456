package import BrasaHTTP2
import BrasaStatus
package import NIOCore

extension GRPCServerCall: HTTP2StreamHandler {
    /// Not UNAVAILABLE, for which clients repeat what they asked.
    private static let cutShort = GRPCStatus(
        .dataLoss,
        "The server is shutting down before it is known whether what was asked for has happened."
    )
    private static let shuttingDown = GRPCStatus(.unavailable, "The server is shutting down")

    package func received(headers: HTTP2Headers, endStream: Bool) {
        if endStream { self.receiving.ended() }
        guard headers.hasValue(.method, "POST") else { return self.refuseHTTPMethod() }
        self.beginMeasuring(headers)
        guard let server = self.connection?.server else { return }
        // Known also of a call for which there is no room.
        self.method = headers.withValue(.path) { path in path.flatMap { server.methods.method(at: $0) } }
        guard self.hasRoom() else { return }
        guard let method = self.method else { return self.fail(.unknownMethod(headers[.path] ?? [])) }
        if let bytesMax = method.messageBytesMax { self.receiving.messageBytesMax = bytesMax }
        guard self.readEncodings(headers), self.readTimeout(headers) else { return }
        guard self.keepMetadata(headers, server.metadataKeys) else { return }
        guard let gate = self.connection?.gate else { return self.admit() }
        switch gate(self, headers) {
        case .admitted: self.admit()
        case .waiting: break
        case .refused(let status): self.finish(status)
        }
    }

    /// The gate's answer to a call that it let wait. Without effect when the call has been admitted or is finished.
    package func admit() {
        self.eventLoop.preconditionInEventLoop()
        guard let method = self.method, self.receiving.begin() else { return }
        if !self.receiving.isWhole, method.kind.hasOneRequest { self.limitReceiving() }
        if case .bidirectional(let body) = method.handler { self.begin(body(self)) }
        if self.receiving.isWhole || self.receiving.bufferedBytes > 0 { self.deliver() }
    }

    package func received(data: ByteBuffer, endStream: Bool) {
        if endStream { self.receiving.ended() }
        self.measure.requestBytes += data.readableBytes
        if self.receiving.received(data) {
            self.deliver()
        } else {
            self.stream?.consume(data.readableBytes)
        }
    }

    /// gRPC clients send none; whatever they say, they end the request.
    package func received(trailers: HTTP2Headers) {
        self.receiving.ended()
        self.deliver()
    }

    package func becameWritable() {
        self.service.handler?.becameWritable()
    }

    package func draining() {
        self.service.isDraining = true
        self.service.handler?.draining()
    }

    package func graceEnded() {
        guard self.sending.isOpen else { return }
        if self.hasOpenOutcome { self.service.cancelObserver.take()?() }
        self.fail(self.hasOpenOutcome ? Self.cutShort : Self.shuttingDown)
    }

    package func closed(_ reason: HTTP2CloseReason) {
        self.lose()
    }

    // MARK: Headers

    private func keepMetadata(_ headers: HTTP2Headers, _ keys: [GRPCMetadataKey]) -> Bool {
        for key in keys where headers.contains(key) {
            if let value = headers[key] { self.metadata.append(key, bytes: value) }
        }
        return self.metadata.isEmpty || self.hold(self.metadata.headers.listBytes)
    }

    private func readEncodings(_ headers: HTTP2Headers) -> Bool {
        let named: GRPCEncoding?? = headers.withValue(.grpcEncoding) { $0.map { GRPCEncoding($0) } }
        guard let named else { return true }
        guard let encoding = named else {
            self.refuseEncoding()
            return false
        }
        self.receiving.encoding = encoding
        if encoding == .gzip, let accepted = headers[.grpcAcceptEncoding],
            GRPCEncoding.acceptsGzip(accepted)
        {
            self.sending.compresses = true
        }
        return true
    }

    private func readTimeout(_ headers: HTTP2Headers) -> Bool {
        let stated: TimeAmount?? = headers.withValue(.grpcTimeout) { $0.map { GRPCTimeout.parse($0) } }
        guard let stated else { return true }
        guard let timeout = stated else {
            self.fail(.malformedTimeout)
            return false
        }
        guard timeout.nanoseconds > 0 else {
            self.fail(.deadlineExceeded)
            return false
        }
        self.limit(to: timeout)
        return true
    }

    // MARK: Messages

    /// Stops delivering messages, and with them the client's credit: once its window is full it waits.
    package func pauseReading() {
        self.eventLoop.preconditionInEventLoop()
        self.receiving.pause()
    }

    package func resumeReading() {
        self.eventLoop.preconditionInEventLoop()
        if self.receiving.resume() { self.deliver() }
    }

    /// Hands over what is complete, then the half-close, unless the service pauses or the call ends meanwhile.
    private func deliver() {
        guard self.receiving.startDelivering() else { return }
        do throws(GRPCStatus) {
            while try self.handOverNext() {}
        } catch {
            self.receiving.pause()
            if self.service.handler?.failed(error) != true { self.fail(error) }
        }
        self.receiving.stopDelivering()
        if self.sending.isOpen { self.settleReceived() }
    }

    /// False when there is nothing more to hand over.
    private func handOverNext() throws(GRPCStatus) -> Bool {
        let step: GRPCReceiving.Step
        do throws(GRPCFramingError) {
            step = try self.receiving.next()
        } catch {
            throw error == .invalidFlag ? .invalidCompressedFlag : self.messageTooLarge
        }
        switch step {
        case .message(let message): try self.handOver(message)
        case .end: try self.handOverEnd()
        case .truncated: throw .truncatedMessage
        case .nothing: return false
        }
        return true
    }

    private func handOver(_ message: GRPCMessageDecoder.Message) throws(GRPCStatus) {
        guard let handler = self.service.handler else {
            guard !self.receiving.hasRequest else { throw .secondRequestMessage }
            let request = try self.request(message)
            self.receiving.keep(request)
            self.kept.request = request.readableBytes
            return
        }
        let payload = message.isCompressed ? try self.inflate(message.payload) : message.payload
        self.endReceiveLimit()
        guard !self.isOverdue else { throw .deadlineExceeded }
        guard self.sending.isOpen else { return }
        try self.checkRoom()
        handler.received(message: payload)
    }

    /// Thrown, so that a handler that owes answers sends them first.
    private func checkRoom() throws(GRPCStatus) {
        if let refusal = self.roomRefusal(for: 1) { throw refusal }
    }

    /// The only message that is kept beyond a turn, if its end is not here yet: then it does not keep the whole read.
    private func request(_ message: GRPCMessageDecoder.Message) throws(GRPCStatus) -> ByteBuffer {
        if message.isCompressed { return try self.inflate(message.payload) }
        let isKept = message.sharesRead && !self.receiving.isWhole
        return isKept ? ByteBuffer(bytes: message.payload.readableBytesView) : message.payload
    }

    private var messageTooLarge: GRPCStatus {
        self.method?.messageTooLarge ?? self.connection?.server.messageTooLarge ?? .cancelled
    }

    private func inflate(_ payload: ByteBuffer) throws(GRPCStatus) -> ByteBuffer {
        guard self.receiving.encoding == .gzip else { throw .compressedWithoutEncoding }
        guard let connection = self.connection else { throw .cancelled }
        let limits = connection.server.limits
        let carriesDocuments = self.method?.messageBytesMax == nil
        let free = carriesDocuments ? limits.documentInflationBytesFree : limits.inflationBytesFree
        let inflatedBytesMax = free + payload.readableBytes * limits.inflationRatioMax
        do throws(GzipError) {
            return try connection.loop.gzip.inflate(
                payload,
                bytesMax: min(self.receiving.messageBytesMax, inflatedBytesMax),
                allocator: self.allocator
            )
        } catch {
            switch error {
            case .tooLarge where inflatedBytesMax < self.receiving.messageBytesMax:
                throw connection.server.inflatesTooFar
            case .tooLarge: throw self.messageTooLarge
            case .corrupt: throw .corruptCompression
            case .outOfMemory: throw GRPCStatus(.resourceExhausted, "No memory to decompress the message")
            }
        }
    }

    private func handOverEnd() throws(GRPCStatus) {
        self.endReceiveLimit()
        // Nobody waits for what would be carried out now.
        guard !self.isOverdue else { throw .deadlineExceeded }
        guard self.sending.isOpen else { return }
        // Before anything is carried out; what is kept for a call that waits is counted already then.
        try self.checkRoom()
        guard self.countRequest() else { return }
        switch self.method?.handler {
        case .unary(let body):
            body(self, try self.takeRequest())
        case .serverStreaming(let body):
            // What is made of the message takes about twice its bytes more, and stays for as long as the client reads.
            guard self.hold(2 * self.kept.request) else { return }
            self.begin(body(self, try self.takeRequest()))
        case .bidirectional:
            self.service.handler?.halfClosed()
        case nil:
            break
        }
    }

    /// A handler that comes after the drain has begun hears of it at once.
    private func begin(_ handler: (any GRPCServerStreamHandler)?) {
        guard self.sending.isOpen else { return }
        self.service.handler = handler
        if self.service.isDraining { handler?.draining() }
    }

    private func takeRequest() throws(GRPCStatus) -> ByteBuffer {
        guard let request = self.receiving.takeRequest() else { throw .noRequestMessage }
        return request
    }

    private func settleReceived() {
        let credit = self.receiving.takeCredit()
        if credit > 0 { self.stream?.consume(credit) }
        guard self.countRequest() else { return }
        if self.method?.kind.hasOneRequest == false { self.limitReceivingOfMessage() }
    }
}
