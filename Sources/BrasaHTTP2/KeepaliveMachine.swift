internal import NIOCore

/// When a silent peer is asked for a sign of life, and when it is given up. Decides; the connection has the timer, asks and
/// closes. Any byte counts as a sign of life, so a busy connection sends no PING.
struct KeepaliveMachine {
    enum Phase: Equatable {
        /// Nothing is asked: there is no keepalive, or it has not begun.
        case off
        /// The peer has been silent for so long at most as the interval.
        case watching
        /// Silent without a stream: it is of no interest until one opens.
        case dormant
        /// A stream has opened on a connection that had long been silent.
        case firstCall
        /// A PING is unanswered.
        case probing
    }

    enum Action: Equatable {
        case nothing
        /// To be told (`timerFired`) after so long.
        case wait(TimeAmount)
        /// A PING is to be sent; then to be told after so long.
        case probe(TimeAmount)
        /// The peer is gone.
        case close
    }

    private let keepalive: HTTP2Keepalive?
    private(set) var phase = Phase.off
    /// Since the wait began.
    private var hasHeard = false
    /// PINGs since the peer's last HEADERS or DATA.
    private var probesSinceMessage = 0
    private var lastProbe = NIODeadline.uptimeNanoseconds(0)

    init(_ keepalive: HTTP2Keepalive?) {
        self.keepalive = keepalive
    }

    mutating func start() -> Action {
        self.keepalive.map { self.watch($0) } ?? .nothing
    }

    /// Any bytes.
    mutating func heard() { self.hasHeard = true }

    /// HEADERS or DATA.
    mutating func heardMessage() { self.probesSinceMessage = 0 }

    mutating func timerFired(hasStreams: Bool, now: NIODeadline) -> Action {
        guard let keepalive = self.keepalive else { return .nothing }
        if self.hasHeard { return self.watch(keepalive) }
        switch self.phase {
        case .off, .dormant: return .nothing
        case .probing: return .close
        case .firstCall: return self.probe(keepalive, now: now)
        case .watching:
            if keepalive.restraint != nil, !hasStreams {
                self.phase = .dormant
                return .nothing
            }
            return self.mayProbe(keepalive, now: now) ? self.probe(keepalive, now: now) : self.watch(keepalive)
        }
    }

    mutating func streamOpened(now: @autoclosure () -> NIODeadline) -> Action {
        guard self.phase == .dormant, let keepalive = self.keepalive, let restraint = keepalive.restraint else {
            return .nothing
        }
        guard self.mayProbe(keepalive, now: now()) else { return self.watch(keepalive) }
        self.phase = .firstCall
        self.hasHeard = false
        return .wait(min(restraint.firstCallPatience, keepalive.interval))
    }

    private mutating func watch(_ keepalive: HTTP2Keepalive) -> Action {
        self.phase = .watching
        self.hasHeard = false
        return .wait(keepalive.interval)
    }

    private mutating func probe(_ keepalive: HTTP2Keepalive, now: NIODeadline) -> Action {
        self.phase = .probing
        self.hasHeard = false
        self.probesSinceMessage += 1
        self.lastProbe = now
        return .probe(keepalive.timeout)
    }

    private func mayProbe(_ keepalive: HTTP2Keepalive, now: NIODeadline) -> Bool {
        guard let restraint = keepalive.restraint, self.probesSinceMessage >= restraint.quickProbesMax else {
            return true
        }
        return now - self.lastProbe >= restraint.patientInterval
    }
}
