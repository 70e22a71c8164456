public import BrasaApp
internal import Foundation

extension Database {
    private static let instances = AppInstances<Database>("Database.database()") { await $0.end() }

    /// The database of the default app, the same object on every call: at the app's `databaseURL`, else at
    /// `https://PROJECT-default-rtdb.firebaseio.com`, where PROJECT is the app's, or the environment's `GCLOUD_PROJECT`.
    /// Where the environment variable `FIREBASE_DATABASE_EMULATOR_HOST` names a server, on that.
    public class func database() -> Database { self.instances.ofDefaultApp { self.instance(app: $0, url: nil) } }

    /// A database of the default app by its URL: `https://NAME.HOST`, or `http://HOST:PORT?ns=NAME`. One that is none is
    /// told when the database is used.
    public class func database(url: String) -> Database {
        self.instances.ofDefaultApp { self.instance(app: $0, url: url) }
    }

    public class func database(app: FirebaseApp) -> Database { self.instance(app: app, url: nil) }

    public class func database(app: FirebaseApp, url: String) -> Database { self.instance(app: app, url: url) }

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
        return self.instances.instance(of: app, text) { Database(app: app, address: address) }
    }

    static var all: [Database] { self.instances.all }
}
