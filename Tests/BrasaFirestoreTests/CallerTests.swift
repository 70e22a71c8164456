import Foundation
import Testing

@testable import BrasaFirestore

/// Documented calls from where programs make them: classes of the main actor, actors and plain classes, all of them with
/// state that is not Sendable.
@Suite("Callers of every kind")
struct CallerTests {
    @MainActor
    final class Model {
        let db: Firestore
        var cities: [String] = []
        var fields: [String: Any] = ["n": 1]
        var registration: (any ListenerRegistration)?

        init(_ db: Firestore) {
            self.db = db
        }

        func listen(_ done: @escaping () -> Void) {
            self.registration = self.db.collection("cities").addSnapshotListener { snapshot, error in
                self.cities = snapshot?.documents.map(\.documentID) ?? []
                if !self.cities.isEmpty { done() }
            }
        }

        func write() async throws {
            let reference = self.db.collection("cities").document("SF")
            reference.setData(self.fields, completion: nil)
            self.fields["m"] = 2
            let snapshot = try await reference.getDocument(source: .cache)
            self.fields = snapshot.data() ?? [:]
        }

        func transact() async throws -> Int? {
            let reference = self.db.document("c/n")
            let object = try await self.db.runTransaction({ (transaction, errorPointer) -> Any? in
                let document: DocumentSnapshot
                do {
                    try document = transaction.getDocument(reference)
                } catch let fetchError as NSError {
                    errorPointer?.pointee = fetchError
                    return nil
                }
                let count = (document.data()?["n"] as? Int ?? 0) + 1
                transaction.setData(["n": count], forDocument: reference)
                return count
            })
            return object as? Int
        }
    }

    actor Worker {
        let db: Firestore
        var fields: [String: Any] = ["n": 1]

        init(_ db: Firestore) {
            self.db = db
        }

        func work() async throws -> Int? {
            let batch = self.db.batch()
            batch.setData(self.fields, forDocument: self.db.document("c/batch"))
            batch.commit(completion: nil)
            self.fields["read"] = try await self.db.document("c/batch").getDocument(source: .cache).data()
            let reference = self.db.document("c/n")
            return try await self.db.runTransaction { transaction in
                let count = (try await transaction.getDocument(reference)["n"] as? Int ?? 0) + 1
                transaction.setData(["n": count], forDocument: reference)
                return count
            }
        }
    }

    @Test("A class of the main actor writes, reads, listens and runs transactions")
    @MainActor
    func mainActor() async throws {
        let model = Model(try await Databases.offline(queue: .main))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var isDone = false
            model.listen {
                if !isDone { continuation.resume() }
                isDone = true
            }
            model.db.collection("cities").document("LA").queueSet(["a": 1])
        }
        #expect(model.cities == ["LA"])
        model.registration?.remove()
        try await model.write()
        #expect(model.fields["n"] as? Int == 1)
        #expect(try await model.transact() == 1)
    }

    @Test("Reads that block may take all threads of tasks")
    func blockingReads() async {
        await #expect(processExitsWith: .success) {
            // Where all threads wait, nothing else can end the process.
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 60)
                exit(1)
            }
            func read(_ transaction: Transaction, _ reference: DocumentReference) throws -> Int {
                try transaction.getDocument(reference)["n"] as? Int ?? 0
            }
            let database = try await Databases.offline()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
                    group.addTask {
                        let reference = database.document("c/\(number)")
                        return try await database.runTransaction { try read($0, reference) }
                    }
                }
                for try await _ in group {}
            }
        }
    }

    @Test("An actor writes, reads and runs transactions")
    func actors() async throws {
        let worker = Worker(try await Databases.offline())
        #expect(try await worker.work() == 1)
        #expect(try await worker.work() == 2)
    }
}
