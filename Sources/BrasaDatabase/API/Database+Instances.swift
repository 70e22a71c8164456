public import BrasaApp
internal import Foundation
internal import Synchronization

extension Database {
    private static let instances = Mutex<[InstanceKey: Database]>([:])

    private struct InstanceKey: Hashable {
        let app: String
        let address: String
    }

    /// The database of the default app, the same object on every call: at the app's `databaseURL`, else at
    /// `https://PROJECT-default-rtdb.firebaseio.com`, where PROJECT is the app's, or the environment's `GCLOUD_PROJECT`.
    /// Where the environment variable `FIREBASE_DATABASE_EMULATOR_HOST` names a server, on that.
    public class func database() -> Database { self.withDefaultApp { self.instance(app: $0, url: nil) } }

    /// A database of the default app by its URL: `https://NAME.HOST`, or `http://HOST:PORT?ns=NAME`. One that is none is
    /// told when the database is used.
    public class func database(url: String) -> Database { self.withDefaultApp { self.instance(app: $0, url: url) } }

    public class func database(app: FirebaseApp) -> Database { self.instance(app: app, url: nil) }

    public class func database(app: FirebaseApp, url: String) -> Database { self.instance(app: app, url: url) }

    private static func withDefaultApp(_ body: (FirebaseApp) -> Database) -> Database {
        _ = self.isRegistered
        return FirebaseApp.withDefault { body($0 ?? .unconfigured(projectID: nil)) }
    }

    /// Once, before the first object that may have found no app.
    private static let isRegistered: Bool = {
        FirebaseApp.register("Database.database()") { app in
            Database.instances.withLock { $0.keys.contains { $0.app == app } }
        } end: { app in
            for database in Database.forget(app) { await database.end() }
        }
        return true
    }()

    private static func instance(app: FirebaseApp, url: String?) -> Database {
        let environment = ProcessInfo.processInfo.environment
        let address = Result { () throws(DatabaseFault) in
            try DatabaseAddress(app.options, url: url, environment: environment)
        }
        let text =
            switch address {
            case .success(let address): address.text
            case .failure: url ?? ""
            }
        return self.instances.withLock { instances in
            let key = InstanceKey(app: app.name, address: text)
            if let known = instances[key] { return known }
            let new = Database(app: app, address: address)
            instances[key] = new
            return new
        }
    }

    /// Those of an app that has been deleted: the next call makes new ones.
    private static func forget(_ app: FirebaseApp) -> [Database] {
        self.instances.withLock { instances in
            let ended = instances.filter { $0.value.app === app }
            for key in ended.keys { instances[key] = nil }
            return Array(ended.values)
        }
    }

    static var all: [Database] { self.instances.withLock { Array($0.values) } }
}
