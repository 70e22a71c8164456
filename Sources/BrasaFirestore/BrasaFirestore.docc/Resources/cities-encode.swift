import BrasaFirestore

@main
struct Cities {
    static func main() async throws {
        let db = Firestore.firestore()
        let cities = db.collection("cities")
        let reference = cities.document("SF")
        try reference.setData(from: City(name: "San Francisco", population: 860_000))
        try await db.waitForPendingWrites()
    }
}
