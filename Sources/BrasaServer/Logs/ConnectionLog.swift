import BrasaHTTP2
import Logging
import NIOCore
import Synchronization

/// Why HTTP/2 connections ended: counted, and told as far as there is room for it.
final class ConnectionLog: Sendable {
    private static let linesMax = 20

    private let logger: Logger
    private let counts = Mutex<[HTTP2ConnectionEnd: Int]>([:])
    private let allowance = LogAllowance<HTTP2ConnectionEnd>(linesMax: ConnectionLog.linesMax)

    init(_ logger: Logger) {
        self.logger = logger
    }

    subscript(end: HTTP2ConnectionEnd) -> Int { self.counts.withLock { $0[end, default: 0] } }

    func ended(_ end: HTTP2ConnectionEnd, peer: SocketAddress?, now: NIODeadline = .now()) {
        self.counts.withLock { $0[end, default: 0] += 1 }
        let level: Logger.Level = end.isFault ? .info : .debug
        guard level >= self.logger.logLevel, let leftOut = self.allowance.admit(end, now: now) else { return }
        var metadata: Logger.Metadata = ["reason": "\(end.rawValue)"]
        if let peer = peer?.logText { metadata["peer"] = "\(peer)" }
        if leftOut > 0 { metadata["left_out"] = .stringConvertible(leftOut) }
        self.logger.log(level: level, "connection closed", metadata: metadata)
    }
}
