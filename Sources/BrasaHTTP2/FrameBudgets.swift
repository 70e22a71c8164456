internal import NIOCore

/// What a peer may send that costs us work and brings nothing. Past any of them it is an attack or a broken peer.
struct FrameBudgets {
    private var resets: RateBudget
    private var pings: RateBudget
    private var settings: RateBudget
    private var emptyFrames: RateBudget
    private var glitches: RateBudget

    init(_ limits: HTTP2Limits) {
        self.resets = RateBudget(perSecond: limits.resetsPerSecond)
        self.pings = RateBudget(perSecond: limits.pingsPerSecond)
        self.settings = RateBudget(perSecond: limits.settingsPerSecond)
        self.emptyFrames = RateBudget(perSecond: limits.emptyFramesPerSecond)
        self.glitches = RateBudget(perSecond: limits.glitchesPerSecond)
    }

    /// False when the frame that begins is one too many.
    mutating func admit(_ frame: FrameHeader, now: @autoclosure () -> NIODeadline) -> Bool {
        switch frame.kind {
        case .headers, .data, .goaway: true
        case .reset: self.resets.spend(now: now())
        // Acknowledgements answer what we sent; unasked ones are harmless, but cost the same.
        case .ping: self.pings.spend(now: now())
        case .settings: self.settings.spend(now: now())
        case .priority, .windowUpdate, .continuation, .other: self.glitches.spend(now: now())
        }
    }

    /// A DATA frame without data or end.
    mutating func admitEmptyData(now: @autoclosure () -> NIODeadline) -> Bool {
        self.emptyFrames.spend(now: now())
    }

    /// The peer made us reset a stream: the same work as a reset of its own.
    mutating func admitProvokedReset(now: @autoclosure () -> NIODeadline) -> Bool {
        self.resets.spend(now: now())
    }

    /// A DATA frame that we sent entitles the peer to update both windows, and to one PING: gRPC's own libraries send one
    /// with each that they receive, to measure the bandwidth.
    mutating func dataSent() {
        self.glitches.earn(2)
        self.pings.earn(1)
    }
}
