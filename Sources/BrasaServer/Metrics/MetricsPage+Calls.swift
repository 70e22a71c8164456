import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMeasures
import BrasaStatus
import BrasaTreeSocket

// What connections bring.
extension MetricsPage {
    mutating func add(_ calls: [GRPCCallSeries], started: Int) {
        let ended = calls.reduce(0) { $0 + $1.durations.count }
        self.counter("brasa_calls_started_total", "Calls whose headers have come.", started)
        self.gauge(
            "brasa_calls_in_flight",
            "Calls that have not ended, open streams included.",
            max(0, started - ended)
        )
        self.histograms(
            "brasa_call_duration_seconds",
            "Time from a call's headers to its status, by method and status; of Listen and Write: how long they were open.",
            calls.map { call in
                let labels: [Label] = [
                    ("service", call.method?.service ?? ""), ("method", call.method?.method ?? "unknown"),
                    ("status", call.status.name),
                ]
                return (labels, call.durations)
            }
        )
    }

    mutating func add(_ budget: ByteBudget) {
        self.gauge(
            "brasa_connection_bytes",
            "What connections keep of requests and responses, about.",
            budget.drawnBytes
        )
        self.gauge("brasa_connection_max_bytes", "The bound of --connection-memory.", budget.bytesMax)
    }

    mutating func add(_ refusals: ConnectionRefusals) {
        self.counters(
            "brasa_connections_refused_total",
            "Connections that were closed at a bound, or came to no TLS handshake.",
            by: "reason",
            ConnectionRefusals.Reason.allCases.map { ($0.rawValue, refusals[$0]) }
        )
    }

    mutating func add(_ tokens: RefusalLog) {
        self.counter(
            "brasa_tokens_refused_total",
            "Tokens that were refused, or not verified for want of places.",
            tokens.count
        )
    }

    mutating func add(_ callers: CallerBounds) {
        self.counters(
            "brasa_caller_refusals_total",
            "Calls, streams, listeners and bytes that were more than one caller may have.",
            by: "bound",
            CallerBounds.Bound.allCases.map { ($0.rawValue, callers.refusals($0)) }
        )
    }

    mutating func add(_ endings: ConnectionLog) {
        self.counters(
            "brasa_connections_closed_total",
            "HTTP/2 connections that have ended, by why.",
            by: "reason",
            HTTP2ConnectionEnd.allCases.map { ($0.rawValue, endings[$0]) }
        )
    }

    mutating func add(_ polls: PollTable) {
        self.gauge("brasa_polling_sessions", "Sessions of long polling.", polls.count)
        self.counter(
            "brasa_polling_sessions_refused_total",
            "Sessions of long polling that were refused at a bound.",
            polls.refused
        )
    }

    mutating func add(_ count: ConnectionCount) {
        self.gauge("brasa_connections", "Open connections.", count.open)
        self.counter("brasa_connections_accepted_total", "Connections that were accepted.", count.accepted)
    }
}
