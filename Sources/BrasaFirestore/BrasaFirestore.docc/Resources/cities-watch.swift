import BrasaFirestore

struct CityIsFull: Error {}

@main
struct Cities {
    static func main() async throws {
        let db = Firestore.firestore()
        let cities = db.collection("cities")
        let reference = cities.document("SF")
        try reference.setData(from: City(name: "San Francisco", population: 860_000))
        try await db.waitForPendingWrites()

        let watching = Task {
            for try await snapshot in cities.order(by: "population", descending: true).snapshots {
                for city in try snapshot.documents.map({ try $0.data(as: City.self) }) {
                    print(city.id ?? "", city.population)
                }
            }
        }
        do {
            while true { _ = try await grow(reference, by: 30_000) }
        } catch is CityIsFull {
            print("the city is full")
        }
        watching.cancel()
        try await watching.value
    }

    static func grow(_ reference: DocumentReference, by people: Int) async throws -> Int {
        try await reference.firestore.runTransaction { transaction in
            let city = try await transaction.getDocument(reference).data(as: City.self)
            let population = city.population + people
            guard population <= 1_000_000 else { throw CityIsFull() }
            transaction.updateData(["population": population], forDocument: reference)
            return population
        }
    }
}
