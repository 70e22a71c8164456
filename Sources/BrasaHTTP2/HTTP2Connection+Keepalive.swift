internal import NIOCore

/// Finds out that a silent peer is gone. Any byte counts as a sign of life, so a busy connection sends no PING.
extension HTTP2Connection {
    func startKeepalive() {
        guard let keepalive = self.keepalive else { return }
        self.keepaliveTimer = self.schedule(in: keepalive.interval) { connection in
            if connection.heardFromPeer {
                connection.startKeepalive()
            } else {
                connection.probe(keepalive)
            }
        }
    }

    private func probe(_ keepalive: HTTP2Keepalive) {
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
