internal import NIOCore

/// From bytes to handlers. All but `receive` is called by nghttp2's callbacks; a `false` ends the session.
extension HTTP2Connection {
    func receive(_ buffer: ByteBuffer) {
        guard self.phase == .open else { return }
        self.pumping.beginReading()
        self.keepalive.heard()
        let result = buffer.withUnsafeReadableBytes { bytes in
            self.inbound.begin(buffer, at: bytes.baseAddress)
            return self.feed(bytes)
        }
        self.inbound.end()
        self.releaseHeldData(endStream: false)
        if self.scanner.openHeaderBlock != self.headerBlock.timedBlock {
            self.time(headerBlock: self.scanner.openHeaderBlock)
        }
        if result < 0 {
            self.terminate(.protocolError, .protocolError)
        } else if self.session.outboundFrames > self.outboundFramesMax {
            // Frames that answer the peer's pile up because it does not read: it is not interested in answers.
            self.terminate(.enhanceYourCalm, .unread)
        }
    }

    /// Hands the session what is read. In front of each DATA it stops for a look at the stream, since it does not tell of
    /// DATA on one that is gone.
    private func feed(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (scanned, fed) = (0, 0)
        while let (frame, start) = self.scanner.next(in: bytes, from: &scanned) {
            guard frame.kind == .data else { continue }
            let result = start > fed ? self.session.receive(UnsafeRawBufferPointer(rebasing: bytes[fed..<start])) : 0
            fed = start
            guard result >= 0, self.phase == .open else { return result }
            guard self.mayBegin(frame) else {
                self.terminate(.streamClosed, .closedStream)
                return 0
            }
        }
        return self.session.receive(UnsafeRawBufferPointer(rebasing: bytes[fed...]))
    }

    /// A few frames for each stream that may be open, and as many acknowledgements as nghttp2 tolerates.
    private var outboundFramesMax: Int { 2000 + 8 * self.limits.concurrentStreamsMax }

    func frameBegan(_ frame: FrameHeader) -> Bool {
        guard self.phase == .open else { return false }
        guard self.budgets.admit(frame, now: self.now) else {
            self.terminate(.enhanceYourCalm, .frameFlood)
            return false
        }
        guard frame.kind == .data || self.mayBegin(frame) else {
            self.terminate(.streamClosed, .closedStream)
            return false
        }
        if frame.kind == .headers, self.isServer, !frame.endStream { self.peerStreams.beginRequest(frame.streamID) }
        return true
    }

    private func mayBegin(_ frame: FrameHeader) -> Bool {
        self.peerStreams.mayBegin(frame) { self.session.streamData($0) != nil }
    }

    // MARK: Headers

    func headersBegan(_ id: Int32, isRequest: Bool) {
        self.releaseHeldData(endStream: false)
        self.headerBlock.begin(of: isRequest ? self.beginRequest(id) : self.stream(id))
    }

    func headerReceived(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        self.headerBlock.append(name, value)
        guard self.headerBlock.size == .bomb else { return true }
        // Compression makes bytes cheap for the peer and dear for us: go no further.
        self.terminate(.enhanceYourCalm, .headerBomb)
        return false
    }

    private func headersReceived(_ id: Int32, endStream: Bool) {
        defer { self.headerBlock.end() }
        self.keepalive.heardMessage()
        guard let stream = self.headerBlock.stream ?? self.stream(id) else { return }
        let isTrailers = stream.receiving != .headersAwaited
        let isInterim = !isTrailers && !self.isServer && self.isInformational
        if !isInterim { stream.receiving.headersCame() }
        if endStream { stream.receiving.endCame() }
        guard !stream.isClosed else { return }
        guard self.headerBlock.size == .fits else {
            return self.reset(stream, .enhanceYourCalm)
        }
        if isTrailers {
            stream.handler?.received(trailers: self.headerBlock.list)
        } else if !isInterim {
            guard self.accept(stream) else { return }
            stream.handler?.received(headers: self.headerBlock.list, endStream: endStream)
            self.tellDraining(stream)
        }
    }

    private var isInformational: Bool {
        self.headerBlock.list.withValue(.status) { $0?.first == UInt8(ascii: "1") }
    }

    // MARK: Data

    func dataReceived(_ id: Int32, _ bytes: UnsafeRawBufferPointer) {
        self.releaseHeldData(endStream: false)
        self.window.received(bytes.count)
        guard let stream = self.stream(id), !stream.isClosed, let slice = self.inbound.slice(bytes) else {
            self.window.consumed(bytes.count)
            return
        }
        stream.window.received(bytes.count)
        self.inbound.hold(slice, of: stream)
    }

    func releaseHeldData(endStream: Bool) {
        guard let (stream, bytes) = self.inbound.takeHeld(), !stream.isClosed else { return }
        stream.handler?.received(data: bytes, endStream: endStream)
    }

    private func dataFrameReceived(_ id: Int32, endStream: Bool) -> Bool {
        self.keepalive.heardMessage()
        if endStream { self.stream(id)?.receiving.endCame() }
        if self.inbound.held?.stream.id == id {
            self.releaseHeldData(endStream: endStream)
        } else if endStream {
            guard let stream = self.stream(id), !stream.isClosed else { return true }
            stream.handler?.received(data: ByteBuffer(), endStream: true)
        } else if !self.budgets.admitEmptyData(now: self.now) {
            self.terminate(.enhanceYourCalm, .frameFlood)
            return false
        }
        return true
    }

    // MARK: Frames

    func frameReceived(_ frame: ReceivedFrame) -> Bool {
        switch frame {
        case .data(let id, let endStream):
            guard self.dataFrameReceived(id, endStream: endStream) else { return false }
        case .headers(let id, let endStream):
            self.headersReceived(id, endStream: endStream)
        case .reset(let id):
            self.stream(id)?.receiving.resetCame()
        case .pingAck(let payload):
            if payload == .drain { self.finishDrainNotice() }
        case .goaway(let lastStreamID, let isForPings):
            self.wasAskedForFewerPings = isForPings
            self.goawayReceived(lastStreamID)
        case .settings:
            self.notePeerReady()
        case .other:
            break
        }
        // A handler may have closed the channel or the connection.
        return self.phase == .open
    }

    /// The seam of the clock: the event loop's.
    var now: NIODeadline { self.context?.eventLoop.now ?? .uptimeNanoseconds(0) }
}
