// Programs that import this library have `FirebaseApp` by that, and the same one by the Realtime Database's library.
@_exported public import BrasaApp

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
