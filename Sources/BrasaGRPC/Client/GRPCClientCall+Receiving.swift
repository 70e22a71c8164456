package import BrasaHTTP2
import BrasaStatus
package import NIOCore

extension GRPCClientCall: HTTP2StreamHandler {
    package func received(headers: HTTP2Headers, endStream: Bool) {
        guard !self.isFinished else { return }
        if endStream, let status = GRPCStatus(trailers: headers) {
            return self.finish(status, trailers: headers)
        }
        if let failure = Self.failure(of: headers) { return self.abandon(failure) }
        if endStream { return self.abandon(.missingStatus) }
        if let name = headers[.grpcEncoding] {
            guard let encoding = GRPCEncoding(name) else { return self.abandon(.unsupportedResponseEncoding) }
            self.responseEncoding = encoding
        }
        if case .streaming(let handler) = self.sink { handler.received(metadata: GRPCMetadata(headers: headers)) }
    }

    package func received(data: ByteBuffer, endStream: Bool) {
        guard !self.isFinished else { return }
        self.uncreditedBytes += data.readableBytes
        self.decoder.append(data)
        if endStream, self.trailers == nil { self.trailers = HTTP2Headers() }
        self.deliver()
    }

    package func received(trailers: HTTP2Headers) {
        guard !self.isFinished else { return }
        self.trailers = trailers
        self.deliver()
    }

    package func becameWritable() {
        if case .streaming(let handler) = self.sink { handler.becameWritable() }
    }

    package func closed(_ reason: HTTP2CloseReason) {
        // A paused caller still has the rest of a complete response coming.
        if self.trailers != nil, self.isReadingPaused {
            self.stream = nil
            return
        }
        self.end(GRPCCallResult(GRPCStatus(closedBy: reason), isSafeToRepeat: reason == .refused))
    }

    /// What is wrong with a response that is not gRPC's.
    private static func failure(of headers: HTTP2Headers) -> GRPCStatus? {
        guard headers.hasValue(.status, "200") else {
            let number = headers.string(.status).flatMap { Int($0) } ?? 0
            return GRPCStatus(StatusCode(responseStatus: number), "The server answered HTTP status \(number)")
        }
        guard headers.withValue(.contentType, { $0?.starts(with: "application/grpc") == true }) else {
            return GRPCStatus(.unknown, "The server's answer is not gRPC")
        }
        return nil
    }

    // MARK: Messages

    /// Stops delivering messages, and with them the server's credit: once its window is full it waits.
    package func pauseReading() {
        self.isReadingPaused = true
    }

    package func resumeReading() {
        guard self.isReadingPaused else { return }
        self.isReadingPaused = false
        self.deliver()
    }

    private func deliver() {
        guard !self.isDelivering else { return }
        self.isDelivering = true
        do throws(GRPCStatus) {
            while !self.isReadingPaused, let sink = self.sink, let message = try self.nextMessage() {
                self.responses += 1
                switch sink {
                case .streaming(let handler): handler.received(message: message)
                case .unary: self.response = message
                }
            }
        } catch {
            self.abandon(error)
        }
        self.isDelivering = false
        guard !self.isFinished else { return }
        self.settleReceived()
        guard !self.isReadingPaused, let trailers = self.trailers else { return }
        if self.decoder.bufferedBytes > 0 { return self.abandon(.truncatedMessage) }
        self.finish(GRPCStatus(trailers: trailers) ?? .missingStatus, trailers: trailers)
    }

    private func nextMessage() throws(GRPCStatus) -> ByteBuffer? {
        let framed: GRPCMessageDecoder.Message?
        do throws(GRPCFramingError) {
            framed = try self.decoder.next()
        } catch {
            throw error == .invalidFlag ? .invalidCompressedFlag : self.connection.messageTooLarge
        }
        guard let framed else { return nil }
        if self.request.descriptor.kind.hasOneResponse, self.responses > 0 { throw .secondResponseMessage }
        guard framed.isCompressed else { return framed.payload }
        guard self.responseEncoding == .gzip else { throw .compressedWithoutEncoding }
        do throws(GzipError) {
            return try self.connection.gzip.inflate(
                framed.payload,
                bytesMax: self.connection.configuration.messageBytesMax,
                allocator: self.connection.allocator
            )
        } catch {
            throw error == .tooLarge ? self.connection.messageTooLarge : .corruptCompression
        }
    }

    private func settleReceived() {
        if self.decoder.bufferedBytes > 0 { self.decoder.unshare() }
        let keptBytes = self.isReadingPaused ? self.decoder.bufferedBytes : 0
        guard self.uncreditedBytes > keptBytes else { return }
        self.stream?.consume(self.uncreditedBytes - keptBytes)
        self.uncreditedBytes = keptBytes
    }

    private func finish(_ status: GRPCStatus, trailers: HTTP2Headers) {
        var status = status
        var isAnswer = trailers[.grpcStatus] != nil
        if status.isOK, self.request.descriptor.kind.hasOneResponse, self.responses == 0 {
            status = .noResponseMessage
            isAnswer = false
        }
        self.end(GRPCCallResult(status, trailers: GRPCMetadata(headers: trailers), isAnswer: isAnswer))
    }
}
