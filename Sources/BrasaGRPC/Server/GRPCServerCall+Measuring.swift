internal import BrasaHTTP2
internal import BrasaStatus
internal import NIOCore

/// What is known of a call when it is over.
struct GRPCCallMeasure {
    var began: NIODeadline?
    var requestBytes = 0
    var responseBytes = 0
    var trace: TraceContext?
}

/// Each call is counted when its status is sent, or when its stream is gone before that.
extension GRPCServerCall {
    func beginMeasuring(_ headers: HTTP2Headers) {
        self.measure.began = .now()
        self.measure.trace = headers.withValue(.traceparent) { $0.flatMap { TraceContext($0) } }
        self.connection?.loop.statistics.callBegan()
    }

    /// Before the call lets go of what is told about it.
    func conclude(_ status: GRPCStatus) {
        guard let began = self.measure.began, let connection = self.connection else { return }
        self.measure.began = nil
        let duration = NIODeadline.now() - began
        connection.loop.statistics.callEnded(
            method: self.method?.index ?? connection.server.methods.count,
            status.code,
            microseconds: Int(duration.nanoseconds / 1_000)
        )
        guard let observer = connection.server.observer else { return }
        let isSlow = duration >= observer.slowMin && self.method?.kind.hasOneRequest ?? true
        guard isSlow || observer.isWorth(status.code) else { return }
        let report = GRPCCallReport(
            method: self.method?.descriptor,
            status: status.code,
            isSlow: isSlow,
            isDrained: status.code == .unavailable && self.service.isDraining,
            duration: duration,
            requestBytes: self.measure.requestBytes,
            responseBytes: self.measure.responseBytes,
            trace: self.measure.trace,
            peer: connection.peer
        )
        observer.observe(self, report)
    }
}
