import BrasaFirestore

/// Ten tasks let a city grow at the same time, and none of them overwrites what another has added: each reads the
/// population and writes the new one in a transaction. An eleventh asks for more than the city can take.
@main
struct PopulationTransaction {
    static func main() async throws {
        let db = Firestore.firestore()
        let city = db.collection("cities").document("SF")
        try await city.setData(["name": "San Francisco", "state": "CA", "population": 860_000])

        try await withThrowingTaskGroup(of: Int.self) { group in
            for people in 1...10 {
                group.addTask { try await grow(city, by: people) }
            }
            for try await population in group {
                print("grown to \(population)")
            }
        }

        do {
            _ = try await grow(city, by: 200_000)
        } catch let full as CityIsFull {
            print("not grown: \(full.population) people would be too many")
        }
        print("population:", try await city.getDocument(source: .server)["population"] ?? "none")
    }

    /// Gives the new population. The block runs again when another transaction has changed the city meanwhile, so it does
    /// nothing but read and write; what it throws ends the transaction, and nothing is written.
    static func grow(_ city: DocumentReference, by people: Int) async throws -> Int {
        try await city.firestore.runTransaction { transaction in
            let snapshot = try await transaction.getDocument(city)
            let population = (snapshot["population"] as? Int ?? 0) + people
            guard population <= 1_000_000 else { throw CityIsFull(population: population) }
            transaction.updateData(["population": population], forDocument: city)
            return population
        }
    }
}

struct CityIsFull: Error {
    let population: Int
}
