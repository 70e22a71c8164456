public import Dispatch

/// What a ``Firestore`` connects to and how. Change a copy and assign it to ``Firestore/settings`` before the first use.
public final class FirestoreSettings {
    var values = Values()

    /// Compared to tell whether an assignment changes anything.
    struct Values: Equatable, Sendable {
        var projectID: String?
        var host = "firestore.googleapis.com"
        var isSSLEnabled = true
        /// Nil: the main queue, whose object is another one on each access.
        var dispatchQueue: DispatchQueue?
        var cache = Cache()
        var security = Security()
        var tokens: TokenSource?
        var keyFile: String?
        var observer: ObserverSource?
        var tracer: TracerSource?

        static func == (left: Values, right: Values) -> Bool {
            left.projectID == right.projectID && left.host == right.host && left.isSSLEnabled == right.isSSLEnabled
                && left.dispatchQueue === right.dispatchQueue && left.cache.kind == right.cache.kind
                && left.security == right.security && left.tokens === right.tokens && left.keyFile == right.keyFile
                && left.observer === right.observer && left.tracer === right.tracer
        }
    }

    public init() {}

    init(_ values: Values) {
        self.values = values
    }

    /// The project whose database is used, where the environment variable `GCLOUD_PROJECT` names none.
    public var projectID: String? {
        get { self.values.projectID }
        set { self.values.projectID = newValue }
    }

    /// The server, perhaps with `:port`, where the environment variable `FIRESTORE_EMULATOR_HOST` names none. For objects
    /// made with `Firestore(projectID:)` a host that is set here goes before the variable.
    public var host: String {
        get { self.values.host }
        set { self.values.host = newValue }
    }

    /// Whether the connection is encrypted.
    public var isSSLEnabled: Bool {
        get { self.values.isSSLEnabled }
        set { self.values.isSSLEnabled = newValue }
    }

    /// Where completion handlers and listeners are called. A concurrent queue is fine: what one listener is told still
    /// comes in order.
    public var dispatchQueue: DispatchQueue {
        get { self.values.dispatchQueue ?? .main }
        set { self.values.dispatchQueue = newValue.label == DispatchQueue.main.label ? nil : newValue }
    }
}

extension FirestoreSettings: Equatable {
    public static func == (left: FirestoreSettings, right: FirestoreSettings) -> Bool {
        left.values == right.values
    }
}
