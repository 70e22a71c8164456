internal import NIOCore

/// The life of streams.
extension HTTP2Connection {
    /// Opens a stream on a client. Its request begins with `HTTP2Stream.sendHeaders`; past the peer's limit of streams
    /// it waits for its turn.
    package func openStream(_ handler: any HTTP2StreamHandler) throws(HTTP2OpenError) -> HTTP2Stream {
        guard !self.isServer else { throw .notAClient }
        guard let context = self.context, self.phase == .open || self.phase == .idle else {
            throw self.phase == .terminating ? .draining : .closed
        }
        context.eventLoop.assertInEventLoop()
        guard !self.isDraining else { throw .draining }
        guard self.streams.count < self.limits.concurrentStreamsMax else { throw .tooManyStreams }
        let stream = self.spareStreams.take(for: self, on: context.eventLoop)
        stream.handler = handler
        self.streams.append(stream)
        self.act(self.keepalive.streamOpened(now: self.now))
        return stream
    }

    /// Streams that the peer lets a client have open at once.
    package var peerConcurrentStreamsMax: Int { self.session.peerConcurrentStreamsMax }

    func stream(_ id: Int32) -> HTTP2Stream? {
        // A handler may have closed the channel; the session still names streams that are gone by then.
        guard !self.isClosed else { return nil }
        return self.session.streamData(id).map { Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A request's headers begin. It has no handler until they are complete.
    func beginRequest(_ id: Int32) -> HTTP2Stream? {
        guard let context = self.context else { return nil }
        self.peerStreams.noteRequest(id)
        guard self.account.hasRoom(for: HTTP2Stream.costBytes) else {
            self.peerStreams.noteReset(id)
            self.session.reset(id, .refusedStream)
            return nil
        }
        let stream = self.spareStreams.take(for: self, on: context.eventLoop)
        stream.id = id
        self.count(HTTP2Stream.costBytes, on: stream)
        self.streams.append(stream)
        self.watchUnread()
        self.session.setStreamData(id, Unmanaged.passUnretained(stream).toOpaque())
        return stream
    }

    /// The headers are complete: now it is known whose request it is. False when that has ended the stream already.
    func accept(_ stream: HTTP2Stream) -> Bool {
        guard let acceptor = self.acceptor else { return true }
        let handler = acceptor(stream, self.headerBlock.list)
        guard stream.connection != nil else {
            handler.closed(.connectionClosed)
            return false
        }
        stream.handler = handler
        return !stream.isClosed
    }

    /// Resets a stream from this side: RST_STREAM is queued, the handler hears of it in the next pump.
    func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode, reason: HTTP2CloseReason? = nil) {
        guard stream.localEnd == nil, stream.connection != nil else { return }
        stream.localEnd = reason ?? .resetLocally(code)
        self.dropQueue(of: stream)
        if stream.id != 0 { self.session.reset(stream.id, code) }
        self.streamsToClose.append(stream)
        self.setNeedsPump()
    }

    /// nghttp2 has forgotten the stream.
    func streamClosed(_ id: Int32, _ code: HTTP2ErrorCode) {
        guard let stream = self.stream(id) else { return }
        if self.inbound.held?.stream === stream { self.releaseHeldData(endStream: false) }
        guard !self.isClosed else { return }
        if self.headerBlock.stream === stream { self.headerBlock.stream = nil }
        self.session.setStreamData(id, nil)
        self.streams.remove(stream)
        self.close(stream, self.reason(for: stream, code))
    }

    private func reason(for stream: HTTP2Stream, _ code: HTTP2ErrorCode) -> HTTP2CloseReason {
        if let reason = stream.localEnd { return reason }
        let isAnswered = self.isServer ? stream.sending == .ended : stream.receiving.isWhole
        if code == .noError, isAnswered { return .finished }
        if code == .refusedStream, !self.isServer { return .refused }
        if case .reset = stream.receiving { return .resetByPeer(code) }
        return .resetLocally(code)
    }

    /// Tells the handler, if there is one, once, and lets go of it.
    func close(_ stream: HTTP2Stream, _ reason: HTTP2CloseReason) {
        guard stream.connection != nil else { return }
        let handler = stream.handler
        stream.handler = nil
        self.dropQueue(of: stream)
        self.account.remove(stream.countedBytes)
        stream.countedBytes = 0
        // What nobody will consume any more must not count against the connection's window for ever.
        self.window.consumed(stream.window.unconsumedBytes)
        stream.connection = nil
        handler?.closed(reason)
        if self.phase == .open, self.spareStreams.put(stream, for: self.account) {
            self.session.keepFreed(self.spareStreams.sessionBytesMax)
        }
        self.onStreamClosed?()
    }

    /// Tells the handlers of streams that this side has reset, and forgets those that nghttp2 never knew.
    func closeResetStreams() {
        while !self.streamsToClose.isEmpty {
            let streams = self.streamsToClose
            self.streamsToClose = []
            for stream in streams {
                if stream.id == 0, stream.connection != nil { self.streams.remove(stream) }
                self.close(stream, stream.localEnd ?? .connectionClosed)
            }
        }
    }

    func consume(_ count: Int, of stream: HTTP2Stream) {
        let count = min(count, stream.window.unconsumedBytes)
        stream.window.consumed(count)
        self.window.consumed(count)
        if !stream.receiving.isWhole, let increment = stream.window.takeUpdate() {
            self.session.submitWindowUpdate(stream.id, increment)
        }
        self.setNeedsPump()
    }
}
