internal import BrasaApp
internal import BrasaDocuments
internal import Foundation
internal import Synchronization

extension Firestore {
    /// Those that `firestore()` and its relatives handed out.
    private static let instances = AppInstances<Firestore>("Firestore.firestore()") { firestore in
        // The end of an object that has ended, or was never used, is no error.
        try? await firestore.terminate()
    }

    /// The database `(default)`, the same object on every call.
    ///
    /// Its project comes from the default app where one is configured with a project, else from the environment variable
    /// `GCLOUD_PROJECT`; its address from `FIRESTORE_EMULATOR_HOST`. Where these are not set, both come from ``settings``.
    /// A program that configures the default app does so before the first call.
    public static func firestore() -> Firestore {
        self.firestore(database: "(default)")
    }

    /// A database by name, one object for each name.
    public static func firestore(database: String) -> Firestore {
        self.instances.ofDefaultApp { self.instance(app: $0, database: database) }
    }

    static func instance(app: FirebaseApp, database: String) -> Firestore {
        self.instances.instance(of: app, database) {
            Firestore(app: app, databaseID: database, makeCore: Self.connected)
        }
    }

    /// The next `firestore()` makes a new object.
    func forget() { Self.instances.forget(self) }

    /// The database's full name, which is decided by its first use.
    var database: DatabaseName {
        trapping { () throws(UsageError) in try self.start() }
    }

    /// From here on settings stay.
    @discardableResult
    func start() throws(UsageError) -> DatabaseName {
        try self.state.withLock { state throws(UsageError) in
            if state.isStarted, let database = state.database { return database }
            let database = try self.name(in: state)
            state.database = database
            state.isStarted = true
            return database
        }
    }

    /// The database's full name, as far as it can be told.
    func name(in state: State) throws(UsageError) -> DatabaseName {
        if let database = state.database { return database }
        let project = self.app.options.projectID(environment: ProcessInfo.processInfo.environment)
        guard let project = project ?? state.settings.projectID else {
            throw UsageError(
                illegalState: "No project: set the environment variable GCLOUD_PROJECT or settings.projectID."
            )
        }
        do {
            return try DatabaseName(project: UTF8Text(project), database: UTF8Text(self.databaseID))
        } catch {
            throw UsageError("Invalid project '\(project)' or database '\(self.databaseID)': \(error.message)")
        }
    }
}

/// Where a server is, and whether the way there is encrypted.
struct ServerPlace: Hashable, Sendable {
    let host: String
    let isEncrypted: Bool
    /// It need not be one that the settings were made for.
    let isEmulator: Bool
}

extension Firestore.State {
    var place: ServerPlace {
        self.place(environment: ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_HOST"])
    }

    /// An emulator that was given goes before one of the environment, and that before the settings, unless the object was
    /// made with an address of its own.
    func place(environment: String?) -> ServerPlace {
        let isOwn = self.prefersSettings && self.settings.host != FirestoreSettings.Values().host
        let found = environment.flatMap { $0.isEmpty || isOwn ? nil : $0 }
        if let host = self.emulatorHost ?? found {
            return ServerPlace(host: host, isEncrypted: false, isEmulator: true)
        }
        return ServerPlace(host: self.settings.host, isEncrypted: self.settings.isSSLEnabled, isEmulator: false)
    }
}
