internal import NIOCore

/// Who does not read must not keep its share of the process's budget for ever.
extension HTTP2Connection {
    /// What leaves of a complete response between two looks, unless it is the rest.
    private static var unreadProgressBytes: Int { 64 << 10 }

    /// Looks every `unreadTimeMax` while there are streams: nothing is timed for a call by itself.
    func watchUnread() {
        guard self.unread.timer == nil, let context = self.context else { return }
        let interval = self.limits.unreadTimeMax
        self.unread.timer = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            self.unread.timer = nil
            guard self.phase == .open, self.streams.count > 0 else { return self.dropSpare() }
            self.resetUnread()
            self.endIfUnread()
            self.watchUnread()
        }
    }

    /// An idle connection keeps nothing for streams to come.
    private func dropSpare() {
        self.spareStreams.removeAll(for: self.account)
        self.session.keepFreed(0)
    }

    private func resetUnread() {
        var stuck: [HTTP2Stream] = []
        var next = self.streams.first
        while let stream = next {
            next = stream.next
            guard stream.sending.isWhole, !stream.isClosed else { continue }
            if let seen = stream.unreadBytesSeen, seen - stream.bufferedBytes < Self.unreadProgressBytes {
                stuck.append(stream)
            }
            stream.unreadBytesSeen = stream.bufferedBytes
        }
        for stream in stuck { self.reset(stream, .cancel) }
    }

    /// Streams that are open may wait for their peer as long as others have room.
    private func endIfUnread() {
        let isStuck = self.unread.look(isWaiting: self.outbound.bufferedBytes > 0 || self.room.isSocketFull)
        guard isStuck, self.account.isBudgetScarce else { return }
        self.terminate(.enhanceYourCalm, .unread)
    }
}
