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

    /// Once, before the first object that may have found no app.
    static let isRegistered: Bool = {
        FirebaseApp.register("Firestore.firestore()") {
            Firestore.isHandedOut(app: $0)
        } end: { app in
            for firestore in Firestore.handedOut(for: app) {
                // The end of an object that has ended, or was never used, is no error.
                try? await firestore.terminate()
            }
        }
        return true
    }()
}
