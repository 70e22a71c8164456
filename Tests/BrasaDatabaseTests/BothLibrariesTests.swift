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
}
