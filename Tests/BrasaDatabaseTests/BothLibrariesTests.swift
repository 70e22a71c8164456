import BrasaDatabase
import BrasaFirestore
import Testing

@Suite("Both libraries in one file")
struct BothLibrariesTests {
    @Test("An app is one for both")
    func app() throws {
        let options = FirebaseOptions()
        options.projectID = "both"
        FirebaseApp.configure(name: "both", options: options)
        let app = try #require(FirebaseApp.app(name: "both"))
        let database = Database.database(app: app)
        #expect(database === Database.database(app: app))
        #expect(database.reference().url == "https://both-default-rtdb.firebaseio.com")
        #expect(Firestore.firestore(app: app).app === database.app)
        let snapshotTypes: [Any.Type] = [
            DataSnapshot.self, DocumentSnapshot.self, QuerySnapshot.self, DatabaseQuery.self, Query.self,
        ]
        #expect(snapshotTypes.count == 5)
    }

    /// In processes of their own, in which nobody has asked for the default app's objects.
    @Test("Objects of an app end with it, also where the default app was never asked for any")
    func end() async {
        await #expect(processExitsWith: .success) {
            FirebaseApp.configure(name: "ended", options: FirebaseOptions())
            let app = try #require(FirebaseApp.app(name: "ended"))
            let firestore = Firestore.firestore(app: app)
            #expect(await app.delete())
            #expect(Firestore.firestore(app: app) !== firestore)
        }
        await #expect(processExitsWith: .success) {
            FirebaseApp.configure(name: "ended", options: FirebaseOptions())
            let app = try #require(FirebaseApp.app(name: "ended"))
            let database = Database.database(app: app)
            #expect(await app.delete())
            #expect(Database.database(app: app) !== database)
        }
    }
}
