import BrasaFirestore

@main
struct Cities {
    static func main() async throws {
        let db = Firestore.firestore()
        let cities = db.collection("cities")
        let reference = cities.document("SF")
        try reference.setData(from: City(name: "San Francisco", population: 860_000))
        try await db.waitForPendingWrites()

        let city = try await reference.getDocument(as: City.self)
        print("\(city.name) has \(city.population) inhabitants")
    }
}
