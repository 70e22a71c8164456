internal import BrasaApp

extension Firestore {
    /// Writes more about connections, streams and failures of all clients of this process to the log, or stops
    /// doing so.
    public static func enableLogging(_ logging: Bool) {
        Firestore.log.setDetailed(logging)
    }
}
