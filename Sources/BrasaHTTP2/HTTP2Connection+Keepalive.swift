internal import NIOCore

/// Finds out that a silent peer is gone. Any byte counts as a sign of life, so a busy connection sends no PING.
extension HTTP2Connection {
    func startKeepalive() {
        guard let keepalive = self.keepalive else { return }
        self.keepaliveTimer = self.schedule(in: keepalive.interval) { connection in
            if connection.heardFromPeer {
                connection.startKeepalive()
            } else if keepalive.restraint != nil, connection.streams.count == 0 {
                connection.isKeepaliveDormant = true
            } else if !connection.mayProbe(keepalive) {
                connection.startKeepalive()
            } else {
                connection.probe(keepalive)
            }
        }
    }

    private func mayProbe(_ keepalive: HTTP2Keepalive) -> Bool {
        guard let restraint = keepalive.restraint, self.probesSinceMessage >= restraint.quickProbesMax else {
            return true
        }
        return self.now - self.lastProbe >= restraint.patientInterval
    }

    /// A stream opens.
    func wakeKeepalive() {
        guard self.isKeepaliveDormant, let keepalive = self.keepalive, let restraint = keepalive.restraint else {
            return
        }
        self.isKeepaliveDormant = false
        guard self.mayProbe(keepalive) else { return self.startKeepalive() }
        self.keepaliveTimer = self.schedule(in: min(restraint.firstCallPatience, keepalive.interval)) { connection in
            if connection.heardFromPeer { connection.startKeepalive() } else { connection.probe(keepalive) }
        }
    }

    private func probe(_ keepalive: HTTP2Keepalive) {
        self.probesSinceMessage += 1
        self.lastProbe = self.now
        self.session.submitPing(.keepalive)
        self.setNeedsPump()
        self.keepaliveTimer = self.schedule(in: keepalive.timeout) { connection in
            if connection.heardFromPeer {
                connection.startKeepalive()
            } else {
                connection.context?.close(promise: nil)
            }
        }
    }

    private func schedule(in delay: TimeAmount, _ body: @escaping (HTTP2Connection) -> Void) -> Scheduled<Void>? {
        guard let context = self.context else { return nil }
        self.heardFromPeer = false
        return context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            guard self.phase == .open else { return }
            body(self)
        }
    }
}
