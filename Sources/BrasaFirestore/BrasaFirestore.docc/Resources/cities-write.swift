import BrasaFirestore

@main
struct Cities {
    static func main() async throws {
        let cities = Firestore.firestore().collection("cities")
        let reference = cities.document("SF")
        try await reference.setData(["name": "San Francisco", "population": 860_000])
    }
}
