package import NIOCore

/// How far the end of a connection has come. A drain announces itself first (GOAWAY with the highest id), so that
/// requests which are already on their way are still taken; a PING's answer tells that none of those is left.
enum DrainPhase {
    case none
    case announced
    /// The final GOAWAY is sent, or the peer's was received: no new streams.
    case refusing
}

struct DrainState {
    var phase = DrainPhase.none
    /// Of the grace, and of the wait for the peer's answer: there is one once we drain the connection ourselves.
    private var timers: [Scheduled<Void>] = []

    /// We end the connection ourselves, and tell streams so.
    var isOurs: Bool { !self.timers.isEmpty }

    mutating func add(_ timer: Scheduled<Void>) { self.timers.append(timer) }

    mutating func cancelTimers() {
        for timer in self.timers { timer.cancel() }
        self.timers = []
    }
}

extension HTTP2Connection {
    /// Ends the connection in good order: new streams are refused, open ones have `grace` to finish, then they are told
    /// (`graceEnded`) and reset. The channel closes when the last one is gone.
    package func drain(grace: TimeAmount) {
        guard !self.draining.isOurs, let context = self.context else { return }
        context.eventLoop.assertInEventLoop()
        guard self.phase == .open || self.phase == .idle else { return }
        self.note(.drained)
        let loop = context.eventLoop.assumeIsolated()
        self.draining.add(loop.scheduleTask(in: grace) { self.endGrace() })
        if self.isServer, self.draining.phase == .none {
            self.noteDraining(.announced)
            self.session.submitShutdownNotice()
            self.session.submitPing(.drain)
            // A peer that does not answer gets the final GOAWAY all the same.
            self.draining.add(loop.scheduleTask(in: min(grace, .seconds(1))) { self.finishDrainNotice() })
        } else {
            self.noteDraining()
            self.session.submitGoaway()
        }
        for stream in self.streams.snapshot { self.tellDraining(stream) }
        self.setNeedsPump()
    }

    /// Tells a stream once that the connection is being drained; one whose request has not come is told right after it.
    func tellDraining(_ stream: HTTP2Stream) {
        guard self.draining.isOurs, !stream.isClosed, !stream.isToldDraining else { return }
        guard !self.isServer || stream.receiving != .headersAwaited else { return }
        stream.isToldDraining = true
        stream.handler?.draining()
    }

    func finishDrainNotice() {
        guard self.draining.phase == .announced, self.phase == .open else { return }
        self.draining.phase = .refusing
        self.session.submitGoaway()
        self.setNeedsPump()
    }

    private func endGrace() {
        guard self.phase == .open else { return }
        self.finishDrainNotice()
        let streams = self.streams.snapshot
        for stream in streams where !stream.isClosed { stream.handler?.graceEnded() }
        for stream in streams where !stream.isClosed && !stream.sending.isWhole {
            self.reset(stream, .cancel)
        }
        // What was finished just now still has to leave; a peer that takes nothing is cut off.
        self.startLinger()
        self.setNeedsPump()
    }

    /// The peer takes no more streams. nghttp2 closes those above its last one as refused, but not the requests that
    /// still wait for their turn.
    func goawayReceived(_ lastStreamID: Int32) {
        self.noteDraining()
        guard !self.isServer else { return }
        for stream in self.streams.snapshot where stream.id > lastStreamID && !stream.isClosed {
            self.reset(stream, .refusedStream, reason: .refused)
        }
        for stream in self.streams.snapshot where stream.id == 0 && !stream.isClosed {
            self.reset(stream, .refusedStream, reason: .refused)
        }
    }

    func noteDraining(_ phase: DrainPhase = .refusing) {
        let isNew = self.draining.phase == .none
        self.draining.phase = phase
        guard isNew, let onDraining = self.onDraining else { return }
        self.onDraining = nil
        onDraining()
    }
}
