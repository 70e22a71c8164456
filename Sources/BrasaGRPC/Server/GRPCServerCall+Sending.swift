internal import BrasaHTTP2
internal import BrasaStatus
package import NIOCore

/// From the service to the stream.
extension GRPCServerCall {
    private static let responseHeaders = HTTP2Headers([
        (.status, "200"), (.contentType, "application/grpc"),
    ])
    private static let gzipResponseHeaders = HTTP2Headers([
        (.status, "200"), (.contentType, "application/grpc"), (.grpcEncoding, GRPCEncoding.gzip.name),
    ])
    private static let offeringResponseHeaders = HTTP2Headers([
        (.status, "200"), (.contentType, "application/grpc"),
        (.grpcAcceptEncoding, GRPCEncoding.accepted),
    ])
    // What almost every call is answered with.
    private static let responseBlock = HTTP2HeaderBlock([
        (.status, "200"), (.contentType, "application/grpc"),
    ])
    private static let okTrailers = HTTP2HeaderBlock([(.grpcStatus, "0")])

    /// An empty buffer for a response message, with room before it for the frame's prefix: what is written to it and then
    /// given to `send` is not copied.
    package func makeMessageBuffer(capacity: Int) -> ByteBuffer {
        if let spare = self.stream?.takeSpareBuffer(
            capacity: GRPCMessageDecoder.prefixBytes + max(0, capacity)
        ) {
            return GRPCMessageEncoder.withRoomForPrefix(spare)
        }
        return GRPCMessageEncoder.makeBuffer(capacity: capacity, allocator: self.allocator)
    }

    /// Sends the response headers without waiting for the first message, with metadata if there is any. Does nothing when
    /// they are sent already.
    package func sendHeaders(_ metadata: GRPCMetadata? = nil) {
        self.eventLoop.preconditionInEventLoop()
        guard self.sending.begin() else { return }
        guard metadata != nil || self.sending.compresses else {
            self.stream?.sendHeaders(Self.responseBlock)
            return
        }
        var headers = self.sending.compresses ? Self.gzipResponseHeaders : Self.responseHeaders
        if let metadata { headers.append(contentsOf: metadata) }
        self.stream?.sendHeaders(headers)
    }

    /// Sends one response message. Nothing stops a caller that ignores `isWritable` but its own bound.
    package func send(_ message: consuming ByteBuffer) {
        self.sendHeaders()
        guard self.sending.isOpen, let stream = self.stream else { return }
        var isCompressed = false
        if self.sending.compresses, let connection = self.connection,
            message.readableBytes >= connection.server.limits.compressedResponseBytesMin,
            let compressed = connection.loop.gzip.deflate(message, allocator: self.allocator)
        {
            message = compressed
            isCompressed = true
        }
        let (first, second) = GRPCMessageEncoder.frame(
            message,
            isCompressed: isCompressed,
            allocator: self.allocator
        )
        self.put(first, on: stream)
        if let second { self.put(second, on: stream) }
    }

    /// Sends several response messages from one buffer, to which `write` appends each by its number; returns how many bytes
    /// they are. `capacity` is about how many.
    ///
    /// Not generic in what is sent: called from another room, that would cost more than the sending.
    package func send(_ count: Int, capacity: Int, _ write: (Int, inout ByteBuffer) -> Void) -> Int {
        guard !self.sending.compresses, count > 1 else {
            return (0..<count).reduce(0) { total, number in
                var buffer = self.makeMessageBuffer(capacity: capacity / count)
                write(number, &buffer)
                let byteCount = buffer.readableBytes
                self.send(buffer)
                return total + byteCount
            }
        }
        self.sendHeaders()
        guard self.sending.isOpen, let stream = self.stream else { return 0 }
        let room = capacity + count * GRPCMessageDecoder.prefixBytes
        var buffer = stream.takeSpareBuffer(capacity: room) ?? self.allocator.buffer(capacity: room)
        for number in 0..<count {
            GRPCMessageEncoder.append(to: &buffer) { write(number, &$0) }
        }
        let byteCount = buffer.readableBytes
        self.put(buffer, on: stream)
        return byteCount
    }

    /// The same of messages that are no more than so many bytes together: `write` puts the message with a number at the
    /// beginning of what room is left, and says how many bytes it is.
    package func send(_ count: Int, bytesMost: Int, _ write: (Int, UnsafeMutableRawBufferPointer) -> Int) -> Int {
        guard count > 0 else { return 0 }
        self.sendHeaders()
        guard self.sending.isOpen, let stream = self.stream else { return 0 }
        let room = bytesMost + count * GRPCMessageDecoder.prefixBytes
        var buffer = stream.takeSpareBuffer(capacity: room) ?? self.allocator.buffer(capacity: room)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
            GRPCMessageEncoder.write(count, to: memory, write)
        }
        let byteCount = buffer.readableBytes
        guard self.sending.compresses else {
            self.put(buffer, on: stream)
            return byteCount
        }
        while let message = GRPCMessageEncoder.readMessage(from: &buffer) { self.send(message) }
        return byteCount
    }

    /// Sends a response message that others are sent too.
    package func send(_ message: GRPCFramedMessage) {
        // Compressed it is this call's own.
        guard !self.sending.compresses else { return self.send(message.payload) }
        self.send(message.bytes)
    }

    package func send(_ messages: GRPCFramedMessages) {
        guard !self.sending.compresses else {
            self.send(messages.first)
            return self.send(messages.second)
        }
        self.send(messages.bytes)
    }

    private func send(_ bytes: FramedBytes) {
        self.sendHeaders()
        guard self.sending.isOpen, let stream = self.stream else { return }
        self.put(bytes.start, on: stream)
        guard let rest = bytes.rest else { return }
        self.put(rest.shared, on: stream)
        self.put(rest.end, on: stream)
    }

    private func put(_ bytes: consuming ByteBuffer, on stream: HTTP2Stream) {
        self.measure.responseBytes += bytes.readableBytes
        stream.sendData(bytes)
    }

    /// Sends what waits on the call's connection now if it is much, rather than at the end of the loop's turn.
    package func flushIfMuch() {
        guard self.sending.isOpen else { return }
        self.stream?.flushIfMuch()
    }

    /// The one message of a successful unary call that changed nothing, and its status; RESOURCE_EXHAUSTED when there is
    /// no room for it.
    package func respond(_ message: consuming ByteBuffer) {
        guard self.hasRoom(for: message.readableBytes) else { return }
        self.respond(outcome: message)
    }

    /// The same for a call that may have changed something: what has happened is told in any case. Whether there is room
    /// was found out before the call was handed over, and is asked again (`hasRoom`) by whoever waits before the change.
    package func respond(outcome message: consuming ByteBuffer) {
        // What was held for the answer is let go of at the end, when it is counted where it waits: between the two somebody
        // else might take the room.
        self.send(message)
        self.finish(.ok)
    }

    /// Ends the call. Errors, too, come as headers and then trailers: the official Node client takes an error that comes
    /// before anything else for one of the connection and retries.
    package func finish(_ status: GRPCStatus, trailers metadata: GRPCMetadata? = nil) {
        self.sendHeaders()
        guard self.sending.finish() else { return }
        self.conclude(status)
        self.letGo()
        if status.isOK, status.message.isEmpty, metadata == nil {
            self.stream?.sendTrailers(Self.okTrailers)
        } else {
            self.stream?.sendTrailers(status.trailers(with: metadata))
        }
    }

    /// The request's encoding is unknown: say which ones are not.
    func refuseEncoding() {
        guard self.sending.begin() else { return }
        self.stream?.sendHeaders(Self.offeringResponseHeaders)
        self.fail(GRPCStatus(.unimplemented, "The message encoding is not supported"))
    }

    /// Answers what is sent by another method than POST with a bare HTTP status.
    func refuseHTTPMethod() {
        guard let stream = self.stream, self.sending.finish() else { return }
        self.letGo()
        GRPCProbeHandler.refuse(stream, isPost: false)
    }
}
