internal import NIOCore

/// What the connection waits for on its way out: room that others hold, and a socket that is full.
struct WaitingForRoom {
    /// Streams wait for room that others hold.
    var isAwaited = false
    var timer: Scheduled<Void>?
    /// The channel holds bytes for a socket that takes no more.
    var isSocketFull = false
}

/// Whether the peer reads, by two looks one after the other.
struct UnreadWatch {
    /// Of bodies, that have left.
    private var bytesSent = 0
    /// At the last look, if something waited then.
    private var bytesSeen: Int?
    var timer: Scheduled<Void>?

    mutating func sent(_ count: Int) { self.bytesSent &+= count }

    /// Whether something has waited since the last look, and nothing has left.
    mutating func look(isWaiting: Bool) -> Bool {
        let seen = self.bytesSeen
        self.bytesSeen = isWaiting ? self.bytesSent : nil
        return isWaiting && seen == self.bytesSent
    }
}
