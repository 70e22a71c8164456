internal import BrasaApp

/// Lines for whoever runs the program.
enum Log {
    private static let log = ClientLog("BrasaFirestore")

    static func setDetailed(_ isDetailed: Bool) {
        self.log.setDetailed(isDetailed)
    }

    /// What somebody should know.
    static func notice(_ line: @autoclosure () -> String) {
        self.log.notice(line())
    }

    /// What helps to find out why something happens. Nothing unless it was asked for.
    static func debug(_ line: @autoclosure () -> String) {
        self.log.debug(line())
    }
}
