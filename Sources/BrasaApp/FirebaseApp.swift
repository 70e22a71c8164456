internal import Synchronization

/// What a ``FirebaseApp`` is made with. Of the options only the project and the Realtime Database's address matter here.
public final class FirebaseOptions: Sendable {
    public let googleAppID: String
    public let gcmSenderID: String
    private let project = Mutex<String?>(nil)
    private let database = Mutex<String?>(nil)

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

    /// The app's own, else the environment's.
    package func projectID(environment: [String: String]) -> String? {
        self.projectID ?? environment["GCLOUD_PROJECT"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Where the Realtime Database is: `https://NAME.HOST`, or `http://HOST:PORT?ns=NAME`.
    public var databaseURL: String? {
        get { self.database.withLock { $0 } }
        set { self.database.withLock { $0 = newValue } }
    }
}

/// A project under a name, for programs that are written for several, or for Apple's library. A program with one project
/// needs none: `Firestore.firestore()` and `Database.database()` find it by themselves.
public final class FirebaseApp: Sendable {
    public let name: String
    public let options: FirebaseOptions

    private static let defaultName = "__FIRAPP_DEFAULT"
    private static let apps = Mutex(Apps())
    private static let log = ClientLog("FirebaseApp")

    private struct Apps {
        var configured: [String: FirebaseApp] = [:]
        /// By the call that hands their objects out.
        var libraries: [String: Library] = [:]
    }

    private struct Library {
        let isHandedOut: @Sendable (String) -> Bool
        let end: @Sendable (FirebaseApp) async -> Void
    }

    init(name: String, options: FirebaseOptions) {
        self.name = name
        self.options = options
    }

    /// Configures the default app from the environment. Stops the program when it was configured before, and when somebody
    /// has asked for its `firestore()` or `database()` before: that object would keep the project that it has found without
    /// the app.
    public static func configure() {
        self.configure(options: FirebaseOptions())
    }

    public static func configure(options: FirebaseOptions) {
        self.configure(name: self.defaultName, options: options)
    }

    public static func configure(name: String, options: FirebaseOptions) {
        let mistake = self.apps.withLock { apps -> String? in
            if apps.configured[name] != nil { return "The app '\(name)' has been configured before." }
            if let call = apps.libraries.first(where: { $0.value.isHandedOut(name) })?.key {
                return "FirebaseApp.configure() must come before the first \(call)."
            }
            apps.configured[name] = FirebaseApp(name: name, options: options)
            return nil
        }
        if let mistake { self.log.stop(mistake) }
    }

    /// For programs that configure none: found by nobody else.
    package static func unconfigured(projectID: String?) -> FirebaseApp {
        let options = FirebaseOptions()
        options.projectID = projectID
        return FirebaseApp(name: self.defaultName, options: options)
    }

    /// The default app; nil before `configure()`.
    public static func app() -> FirebaseApp? { self.app(name: self.defaultName) }

    /// While the default app, or its absence, stays. This lock is taken before those of the libraries.
    static func withDefault<Value: Sendable>(_ body: (FirebaseApp?) -> Value) -> Value {
        self.apps.withLock { body($0.configured[self.defaultName]) }
    }

    /// A library says whether it has handed out objects that found no app of a name, which is not configured afterwards, and
    /// how the objects of an app end when it is deleted.
    /// - Parameter call: by which it hands them out.
    static func register(
        _ call: String,
        isHandedOut: @escaping @Sendable (String) -> Bool,
        end: @escaping @Sendable (FirebaseApp) async -> Void
    ) {
        self.apps.withLock { $0.libraries[call] = Library(isHandedOut: isHandedOut, end: end) }
    }

    public static func app(name: String) -> FirebaseApp? { self.apps.withLock { $0.configured[name] } }

    /// Forgets the app, so that another one can be configured under its name, and ends what libraries have handed out for it:
    /// `Firestore` objects as by `terminate()`; of `Database` objects every call fails from then on. False when it was not configured, or
    /// was deleted before.
    @discardableResult
    nonisolated(nonsending) public func delete() async -> Bool {
        let (isKnown, libraries) = Self.apps.withLock { apps in
            let isKnown = apps.configured[self.name] === self
            if isKnown { apps.configured[self.name] = nil }
            return (isKnown, Array(apps.libraries.values))
        }
        for library in libraries { await library.end(self) }
        return isKnown
    }

    /// The handler is told whether the app was known.
    public func delete(_ completion: @escaping @Sendable (Bool) -> Void) {
        Task { completion(await self.delete()) }
    }
}
