internal import Foundation
internal import Synchronization

/// Lines for whoever runs the program, on standard error.
enum Log {
    private static let isDetailed = Atomic(false)

    static func setDetailed(_ isDetailed: Bool) {
        self.isDetailed.store(isDetailed, ordering: .relaxed)
    }

    /// What somebody should know.
    static func notice(_ line: @autoclosure () -> String) {
        // Nobody may be there to read it.
        try? FileHandle.standardError.write(contentsOf: Data("BrasaFirestore: \(line())\n".utf8))
    }

    /// What helps to find out why something happens. Nothing unless it was asked for.
    static func debug(_ line: @autoclosure () -> String) {
        if self.isDetailed.load(ordering: .relaxed) { self.notice(line()) }
    }
}

extension Firestore {
    /// Writes more about connections, streams and failures of all clients of this process to standard error, or stops
    /// doing so.
    public static func enableLogging(_ logging: Bool) {
        Log.setDetailed(logging)
    }
}
