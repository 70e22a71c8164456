package import BrasaDocuments

/// One version of a document as some targets see it. Shared by all streams of a watcher, so that it is encoded once.
/// Belongs to its watcher's thread.
package final class WatchedDocument {
    package let path: ResourcePath
    /// With the fields that the targets select.
    package let document: Document
    /// For whoever sends it: the encoded form.
    package var attachment: AnyObject?

    init(path: ResourcePath, document: Document) {
        self.path = path
        self.document = document
    }
}

/// A document that is not there, shared like `WatchedDocument`.
package final class WatchedDeletion {
    package let path: ResourcePath
    /// A time at which there was none.
    package let time: Timestamp
    package var attachment: AnyObject?

    init(path: ResourcePath, time: Timestamp) {
        self.path = path
        self.time = time
    }
}

/// The state of a database at one time, shared like `WatchedDocument` by all streams that are told of it.
package final class WatchSnapshot {
    package let time: Timestamp
    /// Nil while a target of the stream is not current: a client would resume that one from here as well, and miss what
    /// it was not told yet.
    package let token: ResumeToken?
    package var attachment: AnyObject?

    init(time: Timestamp, token: ResumeToken?) {
        self.time = time
        self.token = token
    }
}

/// A change and the snapshot that follows it, shared like `WatchedDocument` by all streams whose target has the same id.
package final class WatchUpdate {
    package let event: WatchEvent
    package let snapshot: WatchSnapshot
    package var attachment: AnyObject?

    init(_ event: WatchEvent, upTo snapshot: WatchSnapshot) {
        self.event = event
        self.snapshot = snapshot
    }
}
