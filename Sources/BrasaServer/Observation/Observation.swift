import BrasaHTTP
import Synchronization

/// What an operator asks the server about itself, from before its data is open until its end.
final class Observation: Sendable {
    /// Whether calls should be sent here.
    enum Phase: String {
        case starting = "starting: the data folder is being read"
        case ready = "ready"
        case draining = "draining: calls in flight are being finished"
        case failed = "failed: the log accepts nothing until a restart"
    }

    private struct State {
        var phase = Phase.starting
        var metrics: MetricsSource?
    }

    private let state = Mutex(State())

    var phase: Phase { self.state.withLock { $0.phase } }

    /// A log that failed and a server that drains never become ready again.
    func become(_ phase: Phase) {
        self.state.withLock { state in
            switch (state.phase, phase) {
            case (.failed, _), (.draining, .ready), (_, .starting): break
            default: state.phase = phase
            }
        }
    }

    func provide(_ metrics: MetricsSource) { self.state.withLock { $0.metrics = metrics } }

    // MARK: Answers

    /// The process answers: nothing more. Whoever starts it again because of this would not help it.
    var liveness: HTTPAnswer { HTTPAnswer(200, "live\n") }

    var readiness: HTTPAnswer {
        let phase = self.phase
        return HTTPAnswer(phase == .ready ? 200 : 503, phase.rawValue + "\n")
    }

    var metrics: HTTPAnswer {
        guard let source = self.state.withLock({ $0.metrics }) else {
            return HTTPAnswer(503, Phase.starting.rawValue + "\n")
        }
        return HTTPAnswer(200, contentType: MetricsPage.contentType, source.page.text)
    }

    /// Not counted for how often anybody calls: who does so too often is not to end the server.
    func addProbes(to router: inout HTTPRouter) {
        router.get("/livez", for: .everybody, isCounted: false) { self.liveness }
        router.get("/readyz", for: .everybody, isCounted: false) { self.readiness }
    }
}
