internal import NIOCore

/// How much may wait for the peer: by the marks of its streams, the connection's bounds, and the process's budget.
extension HTTP2Connection {
    /// How soon streams that wait for other connections' room look for it again.
    private static var roomInterval: TimeAmount { .milliseconds(100) }
    /// What a channel holds for a full socket: its high mark, and the piece of output that went over it.
    private static var fullSocketBytes: Int { 128 << 10 }

    /// While the connection is full, only streams with nothing waiting may write: each goes on, none piles up. They are
    /// many, so at a second bound, or when the process has no room, none may.
    func isWritable(withWaiting bufferedBytes: Int, mark: Int) -> Bool {
        guard self.hasRoom(for: 1) else {
            self.awaitRoom()
            return false
        }
        return bufferedBytes == 0
            || (bufferedBytes < mark && self.outbound.bufferedBytes < self.limits.connectionBufferedBytesMax)
    }

    /// A single message of any size finds room where nothing waits.
    func hasRoom(for count: Int) -> Bool {
        guard
            self.outbound.bufferedBytes == 0
                || self.outbound.bufferedBytes + count <= self.limits.connectionUnreadBytesMax
        else {
            return false
        }
        return self.account.hasRoom(for: count)
    }

    /// What is kept though there is no room for it is little, unless the peer is after that.
    func boundExcess() {
        guard self.account.excessBytes > self.limits.excessBytesMax, !self.account.hasRoom(for: 0) else { return }
        self.terminate(.enhanceYourCalm, .memory)
    }

    /// Counts what the stream keeps until it is closed.
    func count(_ bytes: Int, on stream: HTTP2Stream) {
        stream.countedBytes += bytes
        self.account.add(bytes)
    }

    func noteSocketIsFull(_ isFull: Bool) {
        // A channel tells of its last changes when the connection is gone.
        guard isFull != self.room.isSocketFull, self.phase != .closed || !isFull else { return }
        self.room.isSocketFull = isFull
        if isFull { self.account.add(Self.fullSocketBytes) } else { self.account.remove(Self.fullSocketBytes) }
    }

    /// What has come of a header block waits in the session and here, and nothing else can arrive on the connection.
    func time(headerBlock block: Int?) {
        if self.headerBlock.timedBlock != nil { self.account.remove(self.partialHeaderBytes) }
        self.headerBlock.timer?.cancel()
        self.headerBlock.timer = nil
        self.headerBlock.timedBlock = block
        // A handler may have ended the connection on the way.
        guard let context = self.context, self.phase == .open, block != nil else {
            return self.headerBlock.timedBlock = nil
        }
        self.account.add(self.partialHeaderBytes)
        let time = self.limits.headerBlockTimeMax
        self.headerBlock.timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.terminate(.enhanceYourCalm, .slowHeaders)
        }
    }

    /// The list, and a name and value that nghttp2 has not all of.
    private var partialHeaderBytes: Int { self.limits.headerListBytesMax + (64 << 10) }

    /// What holds the room may be on other streams or connections, so streams that could write but for it look again:
    /// when output has left, and after a while.
    private func awaitRoom() {
        self.room.isAwaited = true
        guard self.room.timer == nil, let context = self.context else { return }
        self.room.timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.roomInterval) {
            self.room.timer = nil
            guard self.room.isAwaited, self.phase == .open else { return }
            if self.hasRoom(for: 1) { self.setNeedsPump() } else { self.awaitRoom() }
        }
    }

    func gatherStreamsWithRoom() {
        guard self.room.isAwaited, self.hasRoom(for: 1) else { return }
        self.room.isAwaited = false
        for stream in self.streams.snapshot where stream.awaitsWritability {
            guard self.isWritable(withWaiting: stream.bufferedBytes, mark: self.limits.streamLowWaterBytes + 1) else {
                continue
            }
            stream.awaitsWritability = false
            self.streamsToWake.append(stream)
        }
    }
}
