import BrasaGRPC
import BrasaIdentity
import BrasaStatus
import BrasaWire
import Logging
import NIOCore

/// A line for each call that was slow or failed, as far as there is room for them.
final class CallLog: Sendable {
    /// Each has lines of its own, so that clients' mistakes do not hide the server's.
    enum Kind: Hashable, CaseIterable {
        /// The server could not do what was asked.
        case failed
        /// What was asked may not be, or cannot.
        case refused
        case slow
        /// An answer like others: the document is not there, another transaction was first.
        case ordinary

        /// - Parameter isDrained: a server that stops ended the call, which is no failure.
        init?(_ status: StatusCode, isSlow: Bool, isDrained: Bool = false) {
            switch status {
            case .unavailable where isDrained: self = isSlow ? .slow : .ordinary
            case .unknown, .internal, .dataLoss, .unavailable, .resourceExhausted, .deadlineExceeded: self = .failed
            case .invalidArgument, .outOfRange, .permissionDenied, .unauthenticated, .unimplemented: self = .refused
            case _ where isSlow: self = .slow
            case .cancelled, .notFound, .alreadyExists, .failedPrecondition, .aborted: self = .ordinary
            case .ok: return nil
            }
        }

        var level: Logger.Level {
            switch self {
            case .failed: .warning
            case .refused, .slow: .info
            case .ordinary: .debug
            }
        }

        var message: Logger.Message {
            switch self {
            case .failed: "call failed"
            case .refused: "call refused"
            case .slow: "call was slow"
            case .ordinary: "call ended"
            }
        }
    }

    private static let linesMax = 60

    private let logger: Logger
    private let allowance = LogAllowance<Kind>(linesMax: CallLog.linesMax)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Parameter caller: who asks in a call of the server.
    func observer(slowMin: Duration, caller: @escaping @Sendable (GRPCServerCall) -> Caller) -> GRPCCallObserver {
        GRPCCallObserver(
            slowMin: TimeAmount(slowMin),
            isWorth: { status in Kind(status, isSlow: false).map { $0.level >= self.logger.logLevel } ?? false },
            observe: { call, report in self.note(report, by: caller(call)) }
        )
    }

    func note(_ report: GRPCCallReport, by caller: Caller, now: NIODeadline = .now()) {
        // Which lives for as long as its client wants.
        let isSlow = report.isSlow && report.method != HealthMethods.watch
        guard let kind = Kind(report.status, isSlow: isSlow, isDrained: report.isDrained),
            kind.level >= self.logger.logLevel,
            let leftOut = self.allowance.admit(kind, now: now)
        else { return }
        var metadata: Logger.Metadata = [
            "method": "\(report.method.map { "\($0.service)/\($0.method)" } ?? "unknown")",
            "status": "\(report.status.name)",
            "caller": "\(caller.logText)",
            "seconds": .stringConvertible(Double(report.duration.nanoseconds / 1_000) / 1_000_000),
            "request_bytes": .stringConvertible(report.requestBytes),
            "response_bytes": .stringConvertible(report.responseBytes),
        ]
        if let peer = report.peer?.logText { metadata["peer"] = "\(peer)" }
        if let trace = report.trace {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["span_id"] = "\(trace.spanID)"
        }
        if leftOut > 0 { metadata["left_out"] = .stringConvertible(leftOut) }
        self.logger.log(level: kind.level, kind.message, metadata: metadata)
    }
}

extension Caller {
    fileprivate var logText: String {
        switch self {
        case .administrator: "administrator"
        case .restricted(let restriction): restriction.isReadOnly ? "administrator:read-only" : "administrator:limited"
        case .user(let user): "user:\(user.id)"
        case .nobody: "nobody"
        }
    }
}

extension SocketAddress {
    var logText: String? {
        guard let host = self.ipAddress, let port = self.port else { return nil }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
