import BrasaApp
import BrasaClientNetwork
import BrasaDocuments
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Paths and references")
struct PathTests {
    let database = Databases.new()

    @Test("References know their place")
    func places() {
        let collection = self.database.collection("cities")
        #expect(collection.path == "cities")
        #expect(collection.collectionID == "cities")
        #expect(collection.parent == nil)
        let document = collection.document("SF")
        #expect(document.path == "cities/SF")
        #expect(document.documentID == "SF")
        #expect(document.parent == collection)
        let below = document.collection("landmarks/x/photos")
        #expect(below.path == "cities/SF/landmarks/x/photos")
        #expect(below.parent?.path == "cities/SF/landmarks/x")
        #expect(self.database.document("cities/SF") == document)
        #expect(self.database.document("/cities/SF/") == document)
        #expect(collection.document("SF/landmarks/x").path == "cities/SF/landmarks/x")
        #expect(Databases.new().document("cities/SF") != document)
        #expect(document.firestore == self.database)
    }

    @Test("New IDs have 20 letters and digits, each time others")
    func ids() {
        let ids = (0..<100).map { _ in self.database.collection("a").document().documentID }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { $0.utf8.count == 20 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
    }

    @Test("Bad paths are refused", arguments: ["", "/", "//", "a//b", "a/b/c//", "./b", "a/.."])
    func refused(path: String) {
        #expect(throws: UsageError.self) { try PathText.collection(path) }
        #expect(throws: UsageError.self) { try PathText.document(path) }
    }

    @Test("The number of segments tells collections from documents")
    func segments() throws {
        #expect(throws: UsageError.self) { try PathText.collection("a/b") }
        #expect(throws: UsageError.self) { try PathText.document("a") }
        let collection = try PathText.collection("x/y/z")
        #expect(throws: UsageError.self) { try PathText.document("a/b", below: collection) }
        #expect(try PathText.document("a", below: collection).string == "x/y/z/a")
        #expect(throws: UsageError.self) { try PathText.checkCollectionID("a/b") }
        #expect(throws: UsageError.self) { try PathText.checkCollectionID("") }
    }

    @Test("References at texts that are no paths keep the text, and what is made of them is no better")
    func faulty() {
        let document = self.database.document("users")
        #expect(document.path == "users" && document.documentID == "users")
        #expect(document == self.database.document("users"))
        #expect(document != self.database.document("other"))
        let below = document.collection("posts").document("a/b")
        #expect(below.path == "users/posts/a/b" && below.documentID == "b")
        #expect(below.parent.path == "users/posts/a" && below.parent.parent?.path == "users/posts")
        for reference in [document, below, self.database.collection("a/b").document()] {
            #expect(throws: UsageError.self) { try reference.name }
        }
        #expect(self.database.document("").documentID == "")
        #expect(self.database.collection("").parent == nil)
    }
}

@Suite("Instances and settings")
struct InstanceTests {
    @Test("There is one object for each database name")
    func instances() {
        #expect(Firestore.firestore() === Firestore.firestore())
        #expect(Firestore.firestore() === Firestore.firestore(database: "(default)"))
        #expect(Firestore.firestore(database: "x") === Firestore.firestore(database: "x"))
        #expect(Firestore.firestore(database: "x") !== Firestore.firestore())
    }

    @Test("Settings are copied both ways")
    func copies() {
        let database = Databases.new()
        let settings = database.settings
        settings.host = "localhost:1"
        #expect(database.settings.host == "firestore.googleapis.com")
        settings.isSSLEnabled = false
        database.settings = settings
        #expect(database.settings == settings)
        settings.host = "localhost:2"
        #expect(database.settings.host == "localhost:1")
        #expect(
            database.state.withLock { $0.place }
                == ServerPlace(host: "localhost:1", isEncrypted: false, isEmulator: false)
        )
    }

    @Test("After the first use only equal settings are accepted")
    func started() throws {
        let database = Databases.new()
        _ = database.collection("a")
        var values = FirestoreSettings().values
        try database.set(values)
        values.host = "other"
        let error = #expect(throws: UsageError.self) { try database.set(values) }
        #expect(error?.kind == .illegalState)
    }

    @Test("Without encryption a host of one's own is needed")
    func plaintext() {
        var values = FirestoreSettings().values
        values.isSSLEnabled = false
        #expect(throws: UsageError.self) { try Databases.new().set(values) }
    }

    @Test("The environment's emulator goes before settings, unless an object was made with a host of its own")
    func places() {
        func host(_ database: Firestore, _ environment: String?) -> ServerPlace {
            database.state.withLock { $0.place(environment: environment) }
        }
        let settings = FirestoreSettings()
        settings.tokenProvider = { _ in "secret" }
        let plain = Firestore(projectID: "p", settings: settings)
        settings.host = "db.example"
        let own = Firestore(projectID: "p", settings: settings)
        let shared = Firestore(
            app: .unconfigured(projectID: "p"),
            databaseID: "d",
            values: settings.values,
            makeCore: Firestore.connected
        )
        for environment in [nil, ""] {
            #expect(host(plain, environment).host == "firestore.googleapis.com")
            #expect(host(own, environment).host == "db.example")
        }
        let emulator = ServerPlace(host: "e:1", isEncrypted: false, isEmulator: true)
        #expect(host(plain, "e:1") == emulator)
        #expect(host(shared, "e:1") == emulator)
        #expect(host(own, "e:1") == ServerPlace(host: "db.example", isEncrypted: true, isEmulator: false))
        own.useEmulator(withHost: "e", port: 1)
        #expect(host(own, nil) == emulator)
    }

    @Test("Emulators do not get the token that was meant for another server")
    func emulatorToken() async throws {
        let settings = FirestoreSettings()
        settings.tokenProvider = { _ in "secret" }
        let thread = EventLoopThread()
        for (place, expected) in [
            (ServerPlace(host: "e:1", isEncrypted: false, isEmulator: true), "owner"),
            (ServerPlace(host: "e:1", isEncrypted: false, isEmulator: false), "secret"),
            (ServerPlace(host: "e:1", isEncrypted: true, isEmulator: false), "secret"),
        ] {
            let credentials = Firestore.credentials(settings.values, place, thread)
            let token = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
                thread.eventLoop.execute {
                    _ = credentials.withToken { continuation.resume(returning: (try? $0.get())?.text ?? nil) }
                }
            }
            #expect(token == expected)
        }
    }

    @Test("An emulator's address may be one of IPv6")
    func addresses() {
        for (host, port, expected) in [
            ("::1", 8080, ServerAddress(host: "::1", port: 8080)), ("[::1]", 80, ServerAddress(host: "::1", port: 80)),
            ("localhost", 1, ServerAddress(host: "localhost", port: 1)),
            // Then there is no server, which every call tells.
            ("127.0.0.1", 99_999, nil), ("127.0.0.1", 0, nil), ("127.0.0.1", -1, nil),
        ] as [(String, Int, ServerAddress?)] {
            let database = Databases.new()
            database.useEmulator(withHost: host, port: port)
            let place = database.state.withLock { $0.place(environment: nil) }
            #expect(ServerAddress(place.host, defaultPort: 80) == expected)
        }
    }

    @Test("An emulator goes before the settings, the last one before the others")
    func emulator() {
        let database = Databases.new()
        database.useEmulator(withHost: "localhost", port: 1)
        database.useEmulator(withHost: "localhost", port: 8080)
        let expected = ServerPlace(host: "localhost:8080", isEncrypted: false, isEmulator: true)
        #expect(database.state.withLock { $0.place } == expected)
    }

    @Test("Without a project nothing starts")
    func project() {
        let database = Firestore(
            app: .unconfigured(projectID: nil),
            databaseID: "(default)",
            makeCore: Firestore.connected
        )
        let settings = database.settings
        settings.projectID = "from-settings"
        database.settings = settings
        #expect(database.database.string.hasSuffix("/databases/(default)"))
    }

    @Test("An app has databases of its own project")
    func apps() {
        let options = FirebaseOptions(googleAppID: "1:1:ios:1", gcmSenderID: "1")
        options.projectID = "of-app"
        FirebaseApp.configure(name: "second", options: options)
        guard let app = FirebaseApp.app(name: "second") else {
            Issue.record("no app")
            return
        }
        #expect(FirebaseApp.app(name: "third") == nil)
        let database = Firestore.firestore(app: app)
        #expect(database === Firestore.firestore(app: app, database: "(default)"))
        #expect(database !== Firestore.firestore())
        #expect(database.database.string == "projects/of-app/databases/(default)")
    }
}
