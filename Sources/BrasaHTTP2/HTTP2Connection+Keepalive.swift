internal import NIOCore

/// Finds out that a silent peer is gone, as `KeepaliveMachine` decides.
extension HTTP2Connection {
    func act(_ action: KeepaliveMachine.Action) {
        switch action {
        case .nothing: break
        case .wait(let delay): self.awaitSign(for: delay)
        case .probe(let delay):
            self.session.submitPing(.keepalive)
            self.setNeedsPump()
            self.awaitSign(for: delay)
        case .close:
            self.note(.silent)
            self.context?.close(promise: nil)
        }
    }

    private func awaitSign(for delay: TimeAmount) {
        guard let context = self.context else { return }
        self.keepaliveTimer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            guard self.phase == .open else { return }
            self.act(self.keepalive.timerFired(hasStreams: self.streams.count > 0, now: self.now))
        }
    }
}
