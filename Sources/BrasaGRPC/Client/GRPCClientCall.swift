internal import BrasaHTTP2
internal import BrasaStatus
package import NIOCore

/// One call of a client. Used on the connection's event loop only; once it has ended every method does nothing.
package final class GRPCClientCall: DeadlineEntry {
    enum Sink {
        case unary((Result<ByteBuffer, GRPCCallResult>) -> Void)
        case streaming(any GRPCClientResponseHandler)
    }

    // All state is guarded by the event loop.
    package let connection: GRPCClientConnection
    let request: GRPCClientRequest
    /// Nil once told of the end.
    var sink: Sink?
    var stream: HTTP2Stream?
    var receiving: GRPCClientReceiving
    /// The response message of a unary call, until its status is known.
    var response: ByteBuffer?

    init(_ connection: GRPCClientConnection, _ request: GRPCClientRequest, _ sink: Sink) {
        self.connection = connection
        self.request = request
        self.sink = sink
        self.receiving = GRPCClientReceiving(messageBytesMax: connection.configuration.messageBytesMax)
        super.init()
    }

    package var isFinished: Bool { self.sink == nil }

    /// Whether the stream has room for more requests. Being told false asks for one `becameWritable`.
    package var isWritable: Bool { !self.isFinished && self.stream?.isWritable == true }

    func start() {
        self.connection.eventLoop.preconditionInEventLoop()
        do throws(HTTP2OpenError) {
            let stream = try self.connection.http2.openStream(self)
            self.stream = stream
            if let timeout = self.request.timeout {
                let now = self.connection.eventLoop.now
                self.connection.deadlines.insert(self, deadline: now + timeout, now: now)
            }
            stream.sendHeaders(self.request.headers)
        } catch {
            self.end(GRPCCallResult(GRPCStatus(.unavailable, "No stream: \(error)"), isSafeToRepeat: true))
        }
    }

    package func send(_ message: consuming ByteBuffer) {
        guard !self.isFinished, let stream = self.stream else { return }
        var isCompressed = false
        if let bytesMin = self.connection.configuration.compressedRequestBytesMin, message.readableBytes >= bytesMin,
            let compressed = self.connection.gzip.deflate(message, allocator: self.connection.allocator)
        {
            message = compressed
            isCompressed = true
        }
        let (first, second) = GRPCMessageEncoder.frame(
            message,
            isCompressed: isCompressed,
            allocator: self.connection.allocator
        )
        stream.sendData(first)
        if let second { stream.sendData(second) }
    }

    /// Says that no more request messages follow. Once.
    package func halfClose() {
        guard !self.isFinished else { return }
        self.stream?.finish()
    }

    func sendOnly(_ message: consuming ByteBuffer) {
        self.send(message)
        self.halfClose()
    }

    /// Gives the call up: the server is told, the caller gets CANCELLED.
    package func cancel() {
        self.abandon(.cancelled)
    }

    /// Ends the call here with that status, and the stream with it.
    func abandon(_ status: GRPCStatus) {
        guard !self.isFinished else { return }
        let stream = self.stream
        self.end(GRPCCallResult(status))
        stream?.reset(.cancel)
    }

    override func deadlineExpired() {
        self.abandon(.deadlineExceeded)
    }

    func end(_ result: GRPCCallResult) {
        guard let sink = self.sink else { return }
        self.sink = nil
        let credit = self.receiving.close()
        self.stream?.consume(credit)
        self.stream = nil
        self.connection.deadlines.remove(self)
        let response = self.response
        self.response = nil
        switch sink {
        case .streaming(let handler): handler.finished(result)
        case .unary(let completion):
            if let response, result.status.isOK {
                completion(.success(response))
            } else {
                completion(.failure(result))
            }
        }
    }
}
