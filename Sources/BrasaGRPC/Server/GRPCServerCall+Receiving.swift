package import BrasaHTTP2
package import NIOCore

extension GRPCServerCall: HTTP2StreamHandler {
    /// Not UNAVAILABLE, for which clients repeat what they asked.
    private static let cutShort = GRPCStatus(
        .dataLoss,
        "The server is shutting down before it is known whether what was asked for has happened."
    )
    private static let shuttingDown = GRPCStatus(.unavailable, "The server is shutting down")

    package func received(headers: HTTP2Headers, endStream: Bool) {
        if endStream { self.flags.insert(.requestEnded) }
        guard headers.hasValue(.method, "POST") else { return self.refuseHTTPMethod() }
        guard self.hasRoom() else { return }
        let server = self.connection.server
        guard let method = headers.withValue(.path, { path in path.flatMap { server.methods.method(at: $0) } }) else {
            return self.fail(.unknownMethod(headers[.path] ?? []))
        }
        self.method = method
        if let bytesMax = method.messageBytesMax { self.decoder.messageBytesMax = bytesMax }
        guard self.readEncodings(headers), self.readTimeout(headers) else { return }
        guard self.keepMetadata(headers) else { return }
        guard let gate = server.gate else { return self.start(method) }
        self.flags.insert(.held)
        switch gate(self, headers) {
        case .admitted: self.admit()
        case .waiting: break
        case .refused(let status): self.finish(status)
        }
    }

    /// The gate's answer to a call that it let wait. Without effect when the call has been admitted or is finished.
    package func admit() {
        self.eventLoop.preconditionInEventLoop()
        guard self.phase == .open, self.flags.contains(.held), let method = self.method else { return }
        self.flags.remove(.held)
        self.start(method)
    }

    private func start(_ method: GRPCMethodTable.Method) {
        if !self.flags.contains(.requestEnded), method.descriptor.kind.hasOneRequest { self.limitReceiving() }
        if case .bidirectional(let body) = method.handler { self.begin(body(self)) }
        if self.flags.contains(.requestEnded) || self.decoder.bufferedBytes > 0 { self.deliver() }
    }

    package func received(data: ByteBuffer, endStream: Bool) {
        if endStream { self.flags.insert(.requestEnded) }
        guard self.phase == .open else { return self.stream.consume(data.readableBytes) }
        self.uncreditedBytes += data.readableBytes
        self.decoder.append(data)
        self.deliver()
    }

    /// gRPC clients send none; whatever they say, they end the request.
    package func received(trailers: HTTP2Headers) {
        self.flags.insert(.requestEnded)
        self.deliver()
    }

    package func becameWritable() {
        self.handler?.becameWritable()
    }

    package func draining() {
        self.flags.insert(.draining)
        self.handler?.draining()
    }

    package func graceEnded() {
        guard self.phase == .open else { return }
        if self.hasOpenOutcome { self.cancelObserver.take()?() }
        self.fail(self.hasOpenOutcome ? Self.cutShort : Self.shuttingDown)
    }

    package func closed(_ reason: HTTP2CloseReason) {
        guard self.phase == .open else { return }
        let (handler, observer) = (self.handler, self.cancelObserver)
        self.end(.cancelled)
        handler?.cancelled()
        observer?()
    }

    // MARK: Headers

    private func keepMetadata(_ headers: HTTP2Headers) -> Bool {
        for key in self.connection.server.metadataKeys {
            guard let value = headers[key] else { continue }
            self.metadata.append(key, bytes: value)
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
        self.requestEncoding = encoding
        if encoding == .gzip, let accepted = headers[.grpcAcceptEncoding], GRPCEncoding.acceptsGzip(accepted) {
            self.flags.insert(.compressResponses)
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
        let deadline = self.eventLoop.now + timeout
        self.deadline = deadline
        self.deadlineTicket = self.connection.loop.deadlines.insert(self, deadline: deadline)
        return true
    }

    // MARK: Messages

    /// Stops delivering messages, and with them the client's credit: once its window is full it waits.
    package func pauseReading() {
        self.eventLoop.preconditionInEventLoop()
        self.flags.insert(.readingPaused)
    }

    package func resumeReading() {
        self.eventLoop.preconditionInEventLoop()
        guard self.flags.contains(.readingPaused) else { return }
        self.flags.remove(.readingPaused)
        self.deliver()
    }

    /// The service takes no messages, or has not got the call yet.
    var isPaused: Bool { !self.flags.isDisjoint(with: [.readingPaused, .held]) }

    /// Hands over what is complete, then the half-close, unless the service pauses or the call ends meanwhile.
    private func deliver() {
        guard !self.flags.contains(.delivering), self.phase == .open else { return }
        self.flags.insert(.delivering)
        do throws(GRPCStatus) {
            while self.phase == .open, !self.isPaused, let message = try self.nextMessage() {
                guard let handler = self.handler else {
                    self.request = message
                    self.requestBytes = message.readableBytes
                    continue
                }
                self.endReceiveLimit()
                guard self.hasRoom() else { break }
                handler.received(message: message)
            }
            if self.phase == .open { try self.deliverHalfClose() }
        } catch {
            self.fail(error)
        }
        self.flags.remove(.delivering)
        if self.phase == .open { self.settleReceived() }
    }

    private func nextMessage() throws(GRPCStatus) -> ByteBuffer? {
        let framed: GRPCMessageDecoder.Message?
        do throws(GRPCFramingError) {
            framed = try self.decoder.next()
        } catch {
            throw error == .invalidFlag ? .invalidCompressedFlag : self.messageTooLarge
        }
        guard let framed else { return nil }
        guard self.handler != nil || self.request == nil else { throw .secondRequestMessage }
        if framed.isCompressed { return try self.inflate(framed.payload) }
        // The only message kept beyond this turn.
        let isKept = self.handler == nil && !self.flags.contains(.requestEnded)
        return isKept && framed.sharesRead ? ByteBuffer(bytes: framed.payload.readableBytesView) : framed.payload
    }

    private var messageTooLarge: GRPCStatus {
        self.method?.messageTooLarge ?? self.connection.server.messageTooLarge
    }

    private func inflate(_ payload: ByteBuffer) throws(GRPCStatus) -> ByteBuffer {
        guard self.requestEncoding == .gzip else { throw .compressedWithoutEncoding }
        let limits = self.connection.server.limits
        let carriesDocuments = self.method?.messageBytesMax == nil
        let free = carriesDocuments ? limits.documentInflationBytesFree : limits.inflationBytesFree
        let inflatedBytesMax = free + payload.readableBytes * limits.inflationRatioMax
        do throws(GzipError) {
            return try self.connection.loop.gzip.inflate(
                payload,
                bytesMax: min(self.decoder.messageBytesMax, inflatedBytesMax),
                allocator: self.allocator
            )
        } catch {
            switch error {
            case .tooLarge where inflatedBytesMax < self.decoder.messageBytesMax:
                throw self.connection.server.inflatesTooFar
            case .tooLarge: throw self.messageTooLarge
            case .corrupt: throw .corruptCompression
            case .outOfMemory: throw GRPCStatus(.resourceExhausted, "No memory to decompress the message")
            }
        }
    }

    private func deliverHalfClose() throws(GRPCStatus) {
        guard self.flags.contains(.requestEnded), !self.flags.contains(.halfCloseDelivered) else { return }
        // Paused: what is buffered may be whole messages.
        guard !self.isPaused else { return }
        guard self.decoder.bufferedBytes == 0 else { throw .truncatedMessage }
        self.endReceiveLimit()
        // Before anything is carried out; what is kept for a call that waits is counted already then.
        guard self.hasRoom(), self.countRequest() else { return }
        self.flags.insert(.halfCloseDelivered)
        switch self.method?.handler {
        case .unary(let body):
            body(self, try self.takeRequest())
        case .serverStreaming(let body):
            // What is made of the message takes about twice its bytes more, and stays for as long as the client reads.
            guard self.hold(2 * self.requestBytes) else { return }
            self.begin(body(self, try self.takeRequest()))
        case .bidirectional:
            self.handler?.halfClosed()
        case nil:
            break
        }
    }

    /// A handler that comes after the drain has begun hears of it at once.
    private func begin(_ handler: (any GRPCServerStreamHandler)?) {
        guard self.phase == .open else { return }
        self.handler = handler
        if self.flags.contains(.draining) { handler?.draining() }
    }

    private func takeRequest() throws(GRPCStatus) -> ByteBuffer {
        guard let request = self.request else { throw .noRequestMessage }
        self.request = nil
        return request
    }

    /// Gives back the credit of everything but what waits for a paused service. The start of a message whose end has
    /// not come is credited, since it may be larger than the window; its bound is the message limit.
    private func settleReceived() {
        if self.decoder.bufferedBytes > 0 { self.decoder.unshare() }
        let keptBytes = self.isPaused ? self.decoder.bufferedBytes : 0
        if self.uncreditedBytes > keptBytes {
            self.stream.consume(self.uncreditedBytes - keptBytes)
            self.uncreditedBytes = keptBytes
        }
        guard self.countRequest() else { return }
        if self.method?.descriptor.kind.hasOneRequest == false { self.limitReceivingOfMessage() }
    }
}
