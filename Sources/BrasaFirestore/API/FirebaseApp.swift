internal import Synchronization

/// What a ``FirebaseApp`` is made with. Of the options only the project matters here.
public final class FirebaseOptions: Sendable {
    public let googleAppID: String
    public let gcmSenderID: String
    private let project = Mutex<String?>(nil)

    public init(googleAppID: String, gcmSenderID: String) {
        self.googleAppID = googleAppID
        self.gcmSenderID = gcmSenderID
    }

    public convenience init() {
        self.init(googleAppID: "", gcmSenderID: "")
    }

    /// Nil: the environment variable `GCLOUD_PROJECT` or the settings name it.
    public var projectID: String? {
        get { self.project.withLock { $0 } }
        set { self.project.withLock { $0 = newValue } }
    }
}

/// A project under a name, for programs that are written for several, or for Apple's library. A program with one project
/// needs none: `Firestore.firestore()` finds it by itself.
public final class FirebaseApp: Sendable {
    public let name: String
    public let options: FirebaseOptions

    private static let defaultName = "__FIRAPP_DEFAULT"
    private static let apps = Mutex<[String: FirebaseApp]>([:])

    init(name: String, options: FirebaseOptions) {
        self.name = name
        self.options = options
    }

    /// Configures the default app from the environment. Stops the program when it was configured before, and when somebody
    /// has asked for its `firestore()` before: that object would keep the project that it has found without the app.
    public static func configure() {
        self.configure(options: FirebaseOptions())
    }

    public static func configure(options: FirebaseOptions) {
        self.configure(name: self.defaultName, options: options)
    }

    public static func configure(name: String, options: FirebaseOptions) {
        trapping { () throws(UsageError) in
            try self.apps.withLock { apps throws(UsageError) in
                guard apps[name] == nil else {
                    throw UsageError(illegalState: "The app '\(name)' has been configured before.")
                }
                guard !Firestore.isHandedOut(app: name) else {
                    let text = "FirebaseApp.configure() must come before the first Firestore.firestore()."
                    throw UsageError(illegalState: text)
                }
                apps[name] = FirebaseApp(name: name, options: options)
            }
        }
    }

    /// For programs that configure none: found by nobody else.
    static func unconfigured(projectID: String?) -> FirebaseApp {
        let options = FirebaseOptions()
        options.projectID = projectID
        return FirebaseApp(name: self.defaultName, options: options)
    }

    /// The default app; nil before `configure()`.
    public static func app() -> FirebaseApp? { self.app(name: self.defaultName) }

    /// While the default app, or its absence, stays. This lock is taken before the one of the `Firestore` objects.
    static func withDefault<Value: Sendable>(_ body: (FirebaseApp?) -> Value) -> Value {
        self.apps.withLock { body($0[self.defaultName]) }
    }

    public static func app(name: String) -> FirebaseApp? { self.apps.withLock { $0[name] } }
}

extension Firestore {
    /// The database `(default)` of an app's project.
    public static func firestore(app: FirebaseApp) -> Firestore {
        self.firestore(app: app, database: "(default)")
    }

    /// A database of an app's project by name, one object for each app and name.
    public static func firestore(app: FirebaseApp, database: String) -> Firestore {
        self.instance(app: app, database: database)
    }
}
