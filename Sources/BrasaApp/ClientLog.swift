package import Logging
internal import Synchronization

/// Lines of one library for whoever runs the program, by swift-log: on standard error, unless the program has set up
/// another place for its lines.
package final class ClientLog: Sendable {
    private let label: String
    private let makeLogger: @Sendable (String) -> Logger
    private let state = Mutex(State())

    private struct State {
        /// Made at the first line, since a program sets its logging up after its libraries were loaded.
        var logger: Logger?
        var isDetailed = false
    }

    /// - Parameter library: the logger's label.
    package init(_ library: String, makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) }) {
        (self.label, self.makeLogger) = (library, makeLogger)
    }

    /// Whether lines for debugging are written although the program's logging leaves them out.
    package func setDetailed(_ isDetailed: Bool) {
        self.state.withLock { $0 = State(isDetailed: isDetailed) }
    }

    private var logger: Logger {
        let state = self.state.withLock { $0 }
        if let logger = state.logger { return logger }
        // Not while the state is locked: what makes it is the program's, and may use the libraries.
        var logger = self.makeLogger(self.label)
        if state.isDetailed { logger.logLevel = min(logger.logLevel, .debug) }
        self.state.withLock { [logger] in if $0.isDetailed == state.isDetailed { $0.logger = logger } }
        return logger
    }

    /// What somebody should know.
    package func notice(_ line: @autoclosure () -> String) {
        self.logger.notice("\(line())")
    }

    /// What helps to find out why something happens. Nothing unless it was asked for.
    package func debug(_ line: @autoclosure () -> String) {
        self.logger.debug("\(line())")
    }

    /// For mistakes that stand in the program's text. Release builds leave the text of a failed precondition out, so it is
    /// written first.
    package func stop(_ mistake: String) -> Never {
        self.logger.critical("stopped by a mistake in the program: \(mistake)")
        preconditionFailure(mistake)
    }
}
