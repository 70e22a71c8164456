/// Which streams there have been, and on which of those that are gone the peer may still send.
struct PeerStreams {
    /// The highest id that a request has had.
    private var newest: Int32 = 0
    /// The newest request, not complete yet, whose HEADERS have begun: without a stream it was refused.
    private var begun: Int32 = 0
    private var closed = ClosedStreams()

    /// A request's HEADERS begin to come, which do not end it.
    mutating func beginRequest(_ id: Int32) { self.begun = id }

    /// A request has a stream, or is refused by us.
    mutating func noteRequest(_ id: Int32) { self.newest = id }

    /// HEADERS were sent.
    mutating func noteSent(_ id: Int32) { self.newest = max(self.newest, id) }

    /// RST_STREAM was sent to a peer whose side was open.
    mutating func noteReset(_ id: Int32) { self.closed.noteReset(id) }

    /// Whether the peer may send that on its stream, if the stream is gone: nghttp2, which has forgotten it, ignores
    /// whatever comes. The others it judges itself.
    mutating func mayBegin(_ frame: FrameHeader, isOpen: (Int32) -> Bool) -> Bool {
        self.noteRefused()
        return switch frame.kind {
        case .data, .headers, .reset:
            frame.streamID & 1 == 0 || frame.streamID > self.newest || isOpen(frame.streamID)
                || self.closed.admit(frame)
        case .priority, .settings, .ping, .goaway, .windowUpdate, .continuation, .other: true
        }
    }

    /// nghttp2 refuses requests that are too many without a word. What the client has sent on them is on its way, and may
    /// come before the refusal leaves.
    private mutating func noteRefused() {
        guard self.begun > self.newest, self.begun & 1 == 1 else { return }
        self.newest = self.begun
        self.closed.noteReset(self.begun)
    }
}
