public import BrasaApp
internal import BrasaClientNetwork
internal import BrasaDocuments
internal import Synchronization

/// A database: where references and queries come from and writes go to.
///
/// ```swift
/// let db = Firestore.firestore()
/// try await db.collection("cities").document("SF").setData(["name": "San Francisco"])
/// ```
public final class Firestore: Sendable {
    static let log = ClientLog("BrasaFirestore")

    /// The app that it was made for.
    public let app: FirebaseApp
    let databaseID: String
    /// What changes until the first use.
    let state: Mutex<State>

    struct State {
        var settings: FirestoreSettings.Values
        var emulatorHost: String?
        /// To the environment, where they name a host.
        var prefersSettings = false
        var database: DatabaseName?
        var isStarted = false
        var core: ClientCore?
        /// Instead of one.
        var refusal: Refusal?
        var now: @Sendable () -> ContinuousClock.Instant = { .now }
        var isTerminated = false
        /// That were found in references and mentioned in the log.
        var foreignDatabases: Set<DatabaseName> = []
    }

    /// What answers calls while there is no engine to be had.
    struct Refusal {
        let core: ClientCore
        /// When it is tried again; nil: never.
        let until: ContinuousClock.Instant?
    }

    /// What an engine is made with.
    struct CoreOptions: Sendable {
        let app: String
        let database: DatabaseName
        let place: ServerPlace
        let settings: FirestoreSettings.Values
    }

    typealias MakeCore = @Sendable (CoreOptions) throws(UsageError) -> ClientCore

    /// Connects an engine to the network, or to what stands for it in tests.
    let makeCore: MakeCore

    init(
        app: FirebaseApp,
        databaseID: String,
        values: FirestoreSettings.Values = FirestoreSettings.Values(),
        makeCore: @escaping MakeCore
    ) {
        self.app = app
        self.databaseID = databaseID
        self.makeCore = makeCore
        self.state = Mutex(State(settings: values))
    }

    /// A copy: change it and assign it back. Stops the program when something changes after the first use.
    public var settings: FirestoreSettings {
        get { FirestoreSettings(self.state.withLock { $0.settings }) }
        set {
            let values = newValue.values
            trapping { () throws(UsageError) in try self.set(values) }
        }
    }

    func set(_ values: FirestoreSettings.Values) throws(UsageError) {
        try self.configure { state throws(UsageError) in
            guard state.settings != values else { return }
            try values.cache.check()
            guard !state.isStarted else {
                throw UsageError(illegalState: "Settings can only be changed before Firestore is used.")
            }
            guard values.isSSLEnabled || values.host != FirestoreSettings.Values().host else {
                throw UsageError(illegalState: "isSSLEnabled cannot be false without a host of your own.")
            }
            state.settings = values
        }
    }

    /// Connects to a server without encryption, an emulator or a `brasa serve` nearby, whatever the settings say.
    public func useEmulator(withHost host: String, port: Int) {
        trapping { () throws(UsageError) in
            guard !host.isEmpty else { throw UsageError("The emulator's host must not be empty.") }
            try self.configure { state throws(UsageError) in
                guard !state.isStarted else {
                    throw UsageError(illegalState: "useEmulator() can only be called before Firestore is used.")
                }
                state.emulatorHost = ServerAddress(host: ServerAddress.unbracketed(host), port: port).description
            }
        }
    }

    private func configure(_ change: (inout State) throws(UsageError) -> Void) throws(UsageError) {
        try self.state.withLock { state throws(UsageError) in try change(&state) }
    }
}

extension Firestore: Hashable, CustomStringConvertible {
    public static func == (left: Firestore, right: Firestore) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    public var description: String { "<Firestore: \(self.databaseID)>" }
}
