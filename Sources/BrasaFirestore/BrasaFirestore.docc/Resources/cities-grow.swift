import BrasaFirestore

@main
struct Cities {
    static func main() async throws {
        let db = Firestore.firestore()
        let cities = db.collection("cities")
        let reference = cities.document("SF")
        try reference.setData(from: City(name: "San Francisco", population: 860_000))
        try await db.waitForPendingWrites()

        let population = try await grow(reference, by: 100)
        print("the city has grown to \(population)")
    }

    static func grow(_ reference: DocumentReference, by people: Int) async throws -> Int {
        try await reference.firestore.runTransaction { transaction in
            let city = try await transaction.getDocument(reference).data(as: City.self)
            let population = city.population + people
            transaction.updateData(["population": population], forDocument: reference)
            return population
        }
    }
}
