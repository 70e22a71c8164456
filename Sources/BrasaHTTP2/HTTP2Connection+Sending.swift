internal import NIOCore

/// What `nextData` has for nghttp2.
enum OutboundData {
    enum End { case open, endStream, trailersFollow }

    case nothingYet
    case bytes(Int, End)
}

/// From streams to bytes.
extension HTTP2Connection {
    /// Output is handed to the channel in pieces of about this size,
    private static var outputChunkBytes: Int { 64 << 10 }
    /// and after so many pieces the loop's other connections have their turn.
    private static var roundsPerTurn: Int { 16 }
    /// What is worth a write of its own.
    private static var muchBytes: Int { 32 << 10 }
    /// An idle connection keeps no larger buffer than this.
    private static var idleOutputBytes: Int { 32 << 10 }

    // MARK: Called by streams

    func submit(_ headers: OutboundHeaders, endStream: Bool, on stream: HTTP2Stream) {
        let pointer = Unmanaged.passUnretained(stream).toOpaque()
        if self.isServer {
            if !self.session.submitResponse(stream.id, headers, endStream: endStream, stream: pointer) {
                self.reset(stream, .internalError)
            }
        } else if let id = self.session.submitRequest(headers, endStream: endStream, stream: pointer) {
            stream.id = id
        } else {
            // GOAWAY came first, or the ids are used up.
            self.reset(stream, .refusedStream, reason: .refused)
        }
        self.setNeedsPump()
    }

    /// There is more to send on the stream: bytes, or its end.
    func bodyGrew(by count: Int, on stream: HTTP2Stream) {
        self.outbound.queued(count)
        self.account.add(count)
        if stream.isDeferred {
            stream.isDeferred = false
            self.session.resumeData(stream.id)
        }
        self.setNeedsPump()
    }

    /// Trailers with nothing before them leave at once: nghttp2 asks for data, to hear that there is none, only while the
    /// peer's windows are open. A client's come behind its headers, which may wait for their turn.
    func end(_ stream: HTTP2Stream, with trailers: OutboundHeaders) {
        guard self.isServer, stream.queue.readableBytes == 0 else {
            stream.trailers = trailers
            return self.bodyGrew(by: 0, on: stream)
        }
        self.submit(trailers: trailers, on: stream)
        self.setNeedsPump()
    }

    private func submit(trailers: OutboundHeaders, on stream: HTTP2Stream) {
        stream.sending.trailersWereSubmitted()
        if !self.session.submitTrailers(stream.id, trailers) { self.session.reset(stream.id, .internalError) }
    }

    func dropQueue(of stream: HTTP2Stream) {
        self.outbound.left(stream.queue.readableBytes)
        self.account.remove(stream.queue.readableBytes)
        stream.queue.removeAll()
        stream.trailers = nil
    }

    // MARK: Called by nghttp2's callbacks

    func nextData(of stream: HTTP2Stream, room: Int) -> OutboundData {
        guard !stream.isClosed, stream.sending.mayHaveData else { return .nothingYet }
        let waiting = stream.queue.readableBytes
        let count = min(waiting, room)
        if count == waiting, stream.sending == .whole {
            guard let trailers = stream.trailers else { return .bytes(count, .endStream) }
            stream.trailers = nil
            self.submit(trailers: trailers, on: stream)
            return .bytes(count, .trailersFollow)
        }
        if count == 0 {
            stream.isDeferred = true
            return .nothingYet
        }
        return .bytes(count, .open)
    }

    func sendData(header: UnsafeRawBufferPointer, count: Int, of stream: HTTP2Stream) {
        self.outbound.output.writeBytes(header)
        stream.queue.move(count, to: &self.outbound.output)
        self.outbound.left(count)
        self.unread.sent(count)
        self.account.remove(count)
        guard stream.awaitsWritability else { return }
        if self.isWritable(withWaiting: stream.bufferedBytes, mark: self.limits.streamLowWaterBytes + 1) {
            stream.awaitsWritability = false
            self.streamsToWake.append(stream)
        }
    }

    func frameSent(_ frame: FrameHeader, _ code: HTTP2ErrorCode) {
        switch frame.kind {
        case .data:
            self.budgets.dataSent()
            if frame.endStream { self.endStreamSent(frame.streamID) }
        case .headers:
            self.peerStreams.noteSent(frame.streamID)
            if frame.endStream { self.endStreamSent(frame.streamID) }
        case .reset:
            let stream = self.stream(frame.streamID)
            if stream?.receiving.isOver != true { self.peerStreams.noteReset(frame.streamID) }
            guard code != .noError, stream?.localEnd == nil else { return }
            if !self.budgets.admitProvokedReset(now: self.now) { self.terminate(.enhanceYourCalm, .frameFlood) }
        case .goaway:
            // nghttp2's own, unless there is a reason already.
            if code != .noError { self.note(.protocolError) }
        default:
            break
        }
    }

    /// A response that is complete before its request: tell the client to stop (RFC 9113, section 8.1).
    private func endStreamSent(_ id: Int32) {
        guard let stream = self.stream(id) else { return }
        stream.sending.endWasSent()
        if self.isServer, !stream.receiving.isWhole { self.session.reset(id, .noError) }
    }

    /// Headers that could not be encoded (too large): without them the stream would never end. A request's stream is
    /// closed by nghttp2 itself.
    func frameNotSent(_ frame: FrameHeader) {
        guard frame.kind == .headers, let stream = self.stream(frame.streamID) else { return }
        if self.isServer || stream.sending.isWhole { self.session.reset(stream.id, .internalError) }
    }

    // MARK: Pumping

    /// Makes sure that output leaves: at the end of the read batch, or at the end of this turn of the event loop.
    func setNeedsPump() {
        guard let context = self.context, self.pumping.want() else { return }
        context.eventLoop.assumeIsolated().execute {
            self.pumping.turnCame()
            self.pump()
        }
    }

    /// Moves output from the session to the channel while the channel takes it. What is left waits in the streams'
    /// queues, so that their writability tells the producers.
    func pump() {
        guard let context = self.context, self.phase == .open || self.phase == .terminating else { return }
        guard self.pumping.begin() else { return }
        self.boundExcess()
        var rounds = 0
        var more = true
        while more, rounds < Self.roundsPerTurn {
            rounds += 1
            self.pumping.look()
            self.outbound.pumped()
            self.closeResetStreams()
            self.giveCredit()
            more = context.channel.isWritable && self.fillOutput()
            self.wakeStreams()
            more = more || self.pumping.isWanted
            guard self.outbound.output.readableBytes > 0, self.phase != .closed else { continue }
            self.writeOutput(context)
        }
        self.pumping.end()
        if self.outbound.output.capacity > Self.idleOutputBytes { self.outbound.dropOutput() }
        if more { self.setNeedsPump() }
        self.closeIfOver(context)
    }

    /// A part of what `pump` does, which follows in any case. Handlers hear of nothing but streams that are closed: those
    /// whose last bytes leave, and all when the socket fails.
    func flushIfMuch() {
        guard self.outbound.unpumpedBytes >= Self.muchBytes, self.phase == .open, self.pumping.phase == .idle,
            let context = self.context, context.channel.isWritable, self.pumping.begin()
        else { return }
        self.outbound.pumped()
        _ = self.fillOutput()
        if self.outbound.output.readableBytes > 0, self.phase != .closed { self.writeOutput(context) }
        self.pumping.end()
        self.setNeedsPump()
    }

    /// Fills `output` up to a chunk; whether there may be more.
    private func fillOutput() -> Bool {
        self.outbound.makeRoom(atMost: Self.outputChunkBytes)
        while self.outbound.output.readableBytes < Self.outputChunkBytes {
            guard let bytes = self.session.nextOutput() else {
                // Out of memory, or a flood of acknowledgements: there is no way on.
                self.note(.session)
                self.context?.close(promise: nil)
                return false
            }
            guard !bytes.isEmpty else { return false }
            self.outbound.output.writeBytes(bytes)
        }
        return true
    }

    private func writeOutput(_ context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(self.outbound.takeable()), promise: nil)
        // Usually the socket has taken everything by now, and the storage is ours again.
        self.outbound.output.clear()
    }

    private func giveCredit() {
        guard self.phase != .closed else { return }
        self.window.settle(outstandingBytes: self.session.outstandingBytes)
        guard let increment = self.window.takeUpdate() else { return }
        self.session.submitWindowUpdate(0, increment)
    }

    private func wakeStreams() {
        self.gatherStreamsWithRoom()
        guard !self.streamsToWake.isEmpty else { return }
        let streams = self.streamsToWake
        self.streamsToWake = []
        for stream in streams where !stream.isClosed && !stream.sending.isWhole && stream.isWritable {
            stream.handler?.becameWritable()
        }
    }

    private func closeIfOver(_ context: ChannelHandlerContext) {
        guard self.phase == .open || self.phase == .terminating else { return }
        guard !self.session.wantsRead, !self.session.wantsWrite, self.outbound.output.readableBytes == 0 else { return }
        self.phase = .closing
        self.startLinger()
        // An empty write: its promise tells that everything before it is with the kernel.
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.context?.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
    }
}
