/// Which streams that are gone may still be sent on: those that this side reset before the peer had ended them, whose
/// frames can have crossed the reset. On any other one a frame is an error of the peer's (RFC 9113, section 5.1).
///
/// nghttp2 could keep closed streams itself, but as whole objects, and it would not know of those that were reset.
struct ClosedStreams {
    /// How many are remembered. Older ones are given the benefit of the doubt: the RFC allows it for all.
    static let countMax = 128

    /// Oldest first.
    private var resetHere: [Int32] = []
    /// Nothing is known of streams up to here.
    private var forgottenUpTo: Int32 = 0

    /// RST_STREAM was sent to a peer whose side was open.
    mutating func noteReset(_ id: Int32) {
        guard id > self.forgottenUpTo, !self.resetHere.contains(id) else { return }
        if self.resetHere.count == Self.countMax {
            self.forgottenUpTo = max(self.forgottenUpTo, self.resetHere.removeFirst())
        }
        self.resetHere.append(id)
    }

    /// Whether a frame that begins on a stream that is gone can have crossed its reset. The peer's last one can do so once.
    mutating func admit(_ frame: FrameHeader) -> Bool {
        guard frame.streamID > self.forgottenUpTo else { return true }
        guard let position = self.resetHere.firstIndex(of: frame.streamID) else { return frame.kind == .reset }
        if frame.endStream || frame.kind == .reset { self.resetHere.remove(at: position) }
        return true
    }
}
