internal import NIOCore

/// From bytes to handlers. All but `receive` is called by nghttp2's callbacks; a `false` ends the session.
extension HTTP2Connection {
    func receive(_ buffer: ByteBuffer) {
        guard self.phase == .open else { return }
        self.isReading = true
        self.heardFromPeer = true
        self.input = buffer
        let result = buffer.withUnsafeReadableBytes { bytes in
            self.inputBase = bytes.baseAddress
            return self.feed(bytes)
        }
        self.inputBase = nil
        self.input = ByteBuffer()
        self.releaseHeldData(endStream: false)
        if self.scanner.openHeaderBlock != self.timedHeaderBlock {
            self.time(headerBlock: self.scanner.openHeaderBlock)
        }
        if result < 0 {
            self.terminate(.protocolError)
        } else if self.session.outboundFrames > self.outboundFramesMax {
            // Frames that answer the peer's pile up because it does not read: it is not interested in answers.
            self.terminate(.enhanceYourCalm)
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
                self.terminate(.streamClosed)
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
            self.terminate(.enhanceYourCalm)
            return false
        }
        guard frame.kind == .data || self.mayBegin(frame) else {
            self.terminate(.streamClosed)
            return false
        }
        if frame.kind == .headers, self.isServer, !frame.endStream { self.begunStreamID = frame.streamID }
        return true
    }

    /// nghttp2 refuses requests that are too many without a word. What the client has sent on them is on its way, and may
    /// come before the refusal leaves.
    private func noteRefused() {
        let id = self.begunStreamID
        guard id > self.newestStreamID, id & 1 == 1 else { return }
        self.newestStreamID = id
        self.closedStreams.noteReset(id)
    }

    /// Whether the peer may send that on its stream, if the stream is gone: nghttp2, which has forgotten it, ignores
    /// whatever comes. The others it judges itself.
    private func mayBegin(_ frame: FrameHeader) -> Bool {
        self.noteRefused()
        return switch frame.kind {
        case .data, .headers, .reset:
            frame.streamID & 1 == 0 || frame.streamID > self.newestStreamID
                || self.session.streamData(frame.streamID) != nil || self.closedStreams.admit(frame)
        case .priority, .settings, .ping, .goaway, .windowUpdate, .continuation, .other: true
        }
    }

    // MARK: Headers

    private static var idleHeaderListBytes: Int { 2 << 10 }

    func headersBegan(_ id: Int32, isRequest: Bool) {
        self.releaseHeldData(endStream: false)
        self.headers.removeAll()
        self.headerListBytes = 0
        self.headerStream = isRequest ? self.beginRequest(id) : self.stream(id)
    }

    func headerReceived(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        self.headerListBytes += name.count + value.count + 32
        if self.headerListBytes <= self.limits.headerListBytesMax {
            self.headers.append(name: name, value: value)
        } else if self.headerListBytes > HTTP2Limits.headerBombFactor * self.limits.headerListBytesMax {
            // Compression makes bytes cheap for the peer and dear for us: go no further.
            self.terminate(.enhanceYourCalm)
            return false
        }
        return true
    }

    private func headersReceived(_ id: Int32, endStream: Bool) {
        // An idle connection keeps the storage of a list of usual size only.
        defer { if self.headers.listBytes > Self.idleHeaderListBytes { self.headers = HTTP2Headers() } }
        self.probesSinceMessage = 0
        guard let stream = self.headerStream ?? self.stream(id) else { return }
        self.headerStream = nil
        if endStream { stream.flags.insert(.remoteEnded) }
        guard !stream.isClosed else { return }
        guard self.headerListBytes <= self.limits.headerListBytesMax else {
            return self.reset(stream, .enhanceYourCalm)
        }
        if stream.flags.contains(.headersReceived) {
            stream.handler?.received(trailers: self.headers)
        } else if self.isServer || !self.isInformational {
            stream.flags.insert(.headersReceived)
            guard self.accept(stream) else { return }
            stream.handler?.received(headers: self.headers, endStream: endStream)
            self.tellDraining(stream)
        }
    }

    private var isInformational: Bool {
        self.headers.withValue(.status) { $0?.first == UInt8(ascii: "1") }
    }

    // MARK: Data

    func dataReceived(_ id: Int32, _ bytes: UnsafeRawBufferPointer) {
        self.releaseHeldData(endStream: false)
        self.window.received(bytes.count)
        guard let stream = self.stream(id), !stream.isClosed, let base = self.inputBase, let start = bytes.baseAddress,
            let slice = self.input.getSlice(at: self.input.readerIndex + (start - base), length: bytes.count)
        else {
            self.window.consumed(bytes.count)
            return
        }
        stream.window.received(bytes.count)
        self.heldData = (stream, slice)
    }

    func releaseHeldData(endStream: Bool) {
        guard let (stream, bytes) = self.heldData else { return }
        self.heldData = nil
        guard !stream.isClosed else { return }
        stream.handler?.received(data: bytes, endStream: endStream)
    }

    private func dataFrameReceived(_ id: Int32, endStream: Bool) -> Bool {
        self.probesSinceMessage = 0
        if endStream { self.stream(id)?.flags.insert(.remoteEnded) }
        if self.heldData?.stream.id == id {
            self.releaseHeldData(endStream: endStream)
        } else if endStream {
            guard let stream = self.stream(id), !stream.isClosed else { return true }
            stream.handler?.received(data: ByteBuffer(), endStream: true)
        } else if !self.budgets.admitEmptyData(now: self.now) {
            self.terminate(.enhanceYourCalm)
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
            self.stream(id)?.flags.insert(.resetByPeer)
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
