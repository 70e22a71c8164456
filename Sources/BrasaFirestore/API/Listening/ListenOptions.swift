/// Where the documents of a read come from.
public enum FirestoreSource: UInt, Sendable {
    /// From the server; from the cache when the server cannot be reached.
    case `default` = 0
    case server = 1
    case cache = 2
}

/// What a listener hears.
public enum ListenSource: UInt, Sendable {
    /// Changes on the server and local writes.
    case `default` = 0
    /// Changes of the cache, without contact with the server.
    case cache = 1
}

/// How to listen. Every method gives a new object.
public final class SnapshotListenOptions: Sendable {
    public let source: ListenSource
    /// Whether changes of ``SnapshotMetadata`` alone are events.
    public let includeMetadataChanges: Bool

    public convenience init() {
        self.init(source: .default, includeMetadataChanges: false)
    }

    init(source: ListenSource, includeMetadataChanges: Bool) {
        self.source = source
        self.includeMetadataChanges = includeMetadataChanges
    }

    public func withSource(_ source: ListenSource) -> SnapshotListenOptions {
        SnapshotListenOptions(source: source, includeMetadataChanges: self.includeMetadataChanges)
    }

    public func withIncludeMetadataChanges(_ includeMetadataChanges: Bool) -> SnapshotListenOptions {
        SnapshotListenOptions(source: self.source, includeMetadataChanges: includeMetadataChanges)
    }
}

/// A listener, to be ended.
public protocol ListenerRegistration: AnyObject, Sendable {
    /// May be called inside the listener and repeatedly. Called on the queue that the listener is called on, when that is
    /// serial, it is the end: no call begins after it has returned. From elsewhere a call that is just about to begin may
    /// still come, and no other.
    func remove()
}
