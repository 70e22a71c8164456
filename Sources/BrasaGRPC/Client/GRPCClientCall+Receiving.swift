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
            self.receiving.encoding = encoding
        }
        if case .streaming(let handler) = self.sink { handler.received(metadata: GRPCMetadata(headers: headers)) }
    }

    package func received(data: ByteBuffer, endStream: Bool) {
        guard !self.isFinished else { return }
        self.receiving.received(data)
        if endStream { self.receiving.ended(HTTP2Headers()) }
        self.deliver()
    }

    package func received(trailers: HTTP2Headers) {
        guard !self.isFinished else { return }
        self.receiving.ended(trailers)
        self.deliver()
    }

    package func becameWritable() {
        if case .streaming(let handler) = self.sink { handler.becameWritable() }
    }

    package func closed(_ reason: HTTP2CloseReason) {
        // A paused caller still has the rest of a complete response coming.
        if self.receiving.isKept {
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
        self.receiving.pause()
    }

    package func resumeReading() {
        if self.receiving.resume() { self.deliver() }
    }

    private func deliver() {
        guard self.receiving.startDelivering() else { return }
        var trailers: HTTP2Headers?
        do throws(GRPCStatus) {
            trailers = try self.handOver()
        } catch {
            self.abandon(error)
        }
        self.receiving.stopDelivering()
        guard !self.isFinished else { return }
        let credit = self.receiving.takeCredit()
        self.stream?.consume(credit)
        if let trailers { self.finish(GRPCStatus(trailers: trailers) ?? .missingStatus, trailers: trailers) }
    }

    /// Hands over what can be. The trailers, when nothing is left.
    private func handOver() throws(GRPCStatus) -> HTTP2Headers? {
        while let sink = self.sink {
            switch try self.nextStep() {
            case .message(let framed):
                let message = try self.content(of: framed)
                switch sink {
                case .streaming(let handler): handler.received(message: message)
                case .unary: self.response = message
                }
            case .end(let trailers): return trailers
            case .truncated: throw .truncatedMessage
            case .nothing: return nil
            }
        }
        return nil
    }

    private func nextStep() throws(GRPCStatus) -> GRPCClientReceiving.Step {
        do throws(GRPCFramingError) {
            return try self.receiving.next()
        } catch {
            throw error == .invalidFlag ? .invalidCompressedFlag : self.connection.messageTooLarge
        }
    }

    private func content(of framed: GRPCMessageDecoder.Message) throws(GRPCStatus) -> ByteBuffer {
        if self.request.descriptor.kind.hasOneResponse, self.receiving.messages > 1 { throw .secondResponseMessage }
        guard framed.isCompressed else { return framed.payload }
        guard self.receiving.encoding == .gzip else { throw .compressedWithoutEncoding }
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

    private func finish(_ status: GRPCStatus, trailers: HTTP2Headers) {
        var status = status
        var isAnswer = trailers[.grpcStatus] != nil
        if status.isOK, self.request.descriptor.kind.hasOneResponse, self.receiving.messages == 0 {
            status = .noResponseMessage
            isAnswer = false
        }
        self.end(GRPCCallResult(status, trailers: GRPCMetadata(headers: trailers), isAnswer: isAnswer))
    }
}
