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

extension Firestore {
    /// Writes more about connections, streams and failures of all clients of this process to the log, or stops
    /// doing so.
    public static func enableLogging(_ logging: Bool) {
        Log.setDetailed(logging)
    }
}
