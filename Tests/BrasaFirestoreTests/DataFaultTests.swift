import BrasaApp
import BrasaDocuments
import BrasaSync
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

/// What comes from data or the world is thrown, told to a handler or told at the commit; the program goes on.
@Suite("Data never stops a program")
struct DataFaultTests {
    private let server = FakeDatastore()

    /// Data that no document can have, each in a call of its own.
    private static func badData(_ database: Firestore) -> [(String, [String: Any])] {
        [
            ("an empty name", ["a": ["": 1]]),
            ("a reserved name", ["__x__": 1]),
            ("a number that is too large", ["n": UInt64.max]),
            ("arrays in arrays", ["a": [[1]]]),
            ("an unknown type", ["url": URL(fileURLWithPath: "/")]),
            ("no place on the earth", ["p": GeoPoint(latitude: 91, longitude: 0)]),
            ("no time", ["t": Timestamp(seconds: .max, nanoseconds: 0)]),
            ("a date too far away", ["d": Date(timeIntervalSince1970: 1e15)]),
            ("a reference at no path", ["r": database.document("users/")]),
            ("an operation in an array", ["a": [FieldValue.serverTimestamp()]]),
        ]
    }

    struct Keyed: Encodable {
        var map: [String: UInt64]
    }

    static let badValues = [Keyed(map: ["": 1]), Keyed(map: ["__x__": 1]), Keyed(map: ["n": .max])]

    private func expectInvalid(_ error: (any Error)?, _ what: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(
            FirestoreErrorCode(error ?? CocoaError(.coderInvalidValue))?.code == .invalidArgument,
            "\(what): \(error as Any)",
            sourceLocation: location
        )
    }

    /// What a handler is told.
    private func told(_ call: (@escaping ((any Error)?) -> Void) -> Void) async -> (any Error)? {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, any Error>, Never>) in
            call { error in continuation.resume(returning: error.map { .failure($0) } ?? .success(())) }
        }
        if case .failure(let error) = result { return error }
        return nil
    }

    private func thrown(_ call: () async throws -> Void) async -> (any Error)? {
        do {
            try await call()
            return nil
        } catch {
            return error
        }
    }

    @Test("Of a document's writes the handler is told, or who waits")
    func documents() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        for (what, data) in Self.badData(database) {
            self.expectInvalid(await self.told { reference.setData(data, completion: $0) }, what)
            self.expectInvalid(await self.told { reference.setData(data, merge: true, completion: $0) }, what)
            self.expectInvalid(await self.told { reference.updateData(data, completion: $0) }, what)
            let added = await self.told { _ = database.collection("c").addDocument(data: data, completion: $0) }
            self.expectInvalid(added, what)
            self.expectInvalid(await self.thrown { try await reference.setData(data) }, what)
            reference.queueSet(data)
        }
        for fields in [["a..b": 1], ["": 1], [5: 1], [FieldPath([]): 1]] as [[AnyHashable: Any]] {
            self.expectInvalid(await self.told { reference.updateData(fields, completion: $0) }, "\(fields)")
        }
        self.expectInvalid(await self.told { reference.setData(["a": 1], mergeFields: ["b"], completion: $0) }, "mask")
        #expect(try await database.collection("c").getDocuments(source: .cache).isEmpty)
    }

    @Test("Of a batch's writes, whoever commits is told, and nothing is written")
    func batches() async throws {
        let database = try await Databases.offline()
        for (what, data) in Self.badData(database) {
            func batch() -> WriteBatch {
                database.batch()
                    .setData(["n": 1], forDocument: database.document("c/a"))
                    .setData(data, forDocument: database.document("c/b"))
                    .updateData(["a..b": 1], forDocument: database.document("c/a"))
            }
            self.expectInvalid(await self.told { batch().commit(completion: $0) }, what)
            self.expectInvalid(await self.thrown { try await batch().commit() }, what)
        }
        #expect(try await database.collection("c").getDocuments(source: .cache).isEmpty)
    }

    @Test("Of a transaction's writes, whoever runs it is told, once, and nothing is written")
    func transactions() async throws {
        let database = try await Databases.offline(calls: self.server)
        for (index, (what, _)) in Self.badData(database).enumerated() {
            let runs = Count()
            let error = await self.thrown {
                try await database.runTransaction { transaction in
                    runs.add()
                    transaction.setData(["n": 1], forDocument: database.document("c/a"))
                    transaction.setData(Self.badData(database)[index].1, forDocument: database.document("c/b"))
                }
            }
            self.expectInvalid(error, what)
            #expect(runs.value == 1)
        }
        #expect(self.server.commits == 0)
    }

    @Test("Functions that throw throw it, and what was begun stays of use", arguments: badValues.indices)
    func throwingFunctions(_ index: Int) async throws {
        let value = Self.badValues[index]
        let database = try await Databases.offline(calls: self.server)
        let reference = database.document("c/n")
        for call in [
            { try reference.setData(from: value) },
            { try reference.setData(from: value, merge: true) },
            { try reference.setData(from: value, mergeFields: ["map"]) },
            { try database.collection("c").addDocument(from: value) },
        ] as [() throws -> Void] {
            self.expectInvalid(await self.thrown { try call() }, "a document")
        }
        let batch = database.batch()
        self.expectInvalid(await self.thrown { try batch.setData(from: value, forDocument: reference) }, "a batch")
        batch.commit(completion: nil)
        try await database.runTransaction { transaction in
            let error = await self.thrown { try transaction.setData(from: value, forDocument: reference) }
            self.expectInvalid(error, "a transaction")
            transaction.setData(["n": 1], forDocument: reference)
        }
        #expect(self.server.commits == 1)
        let writer = database.bulkWriter()
        let error = await self.thrown {
            try await writer.setData(Firestore.Encoder().encode(value), forDocument: reference)
        }
        self.expectInvalid(error, "a bulk writer")
        await writer.close()
    }

    @Test(
        "Every use of a reference at a text that is no path tells so",
        arguments: ["", "users", "users//x", "users/__x__", "users/x/y", "users/.."]
    )
    func references(_ text: String) async throws {
        let database = try await Databases.offline(calls: self.server)
        let reference = database.document(text)
        self.expectInvalid(await self.thrown { _ = try await reference.getDocument() }, text)
        self.expectInvalid(await self.told { done in reference.getDocument { done($1) } }, text)
        self.expectInvalid(await self.told { done in reference.addSnapshotListener { done($1) } }, text)
        self.expectInvalid(await self.thrown { for try await _ in reference.snapshots {} }, text)
        self.expectInvalid(await self.told { reference.setData(["n": 1], completion: $0) }, text)
        self.expectInvalid(await self.told { reference.delete(completion: $0) }, text)
        self.expectInvalid(await self.told { database.batch().deleteDocument(reference).commit(completion: $0) }, text)
        let query = reference.collection("posts").whereField("n", isEqualTo: 1)
        self.expectInvalid(await self.thrown { _ = try await query.getDocuments() }, text)
        self.expectInvalid(await self.thrown { try await database.recursiveDelete(reference) }, text)
        let read = await self.thrown {
            try await database.runTransaction { _ = try await $0.getDocument(reference) }
        }
        self.expectInvalid(read, text)
        let writer = database.bulkWriter()
        self.expectInvalid(await self.thrown { try await writer.deleteDocument(reference) }, text)
        let byReference = database.collection("c").whereField(FieldPath.documentID(), isEqualTo: reference)
        self.expectInvalid(await self.thrown { _ = try await byReference.getDocuments() }, text)
    }

    @Test("Whoever reads a query is told what is wrong with it", arguments: 0..<16)
    func queries(_ index: Int) async throws {
        let database = try await Databases.offline(calls: self.server)
        let cities = database.collection("cities")
        let query = [
            cities.limit(to: 0), cities.limit(to: -1), cities.limit(toLast: 1),
            cities.whereField("a", in: []), cities.whereField("a", isEqualTo: UInt64.max),
            cities.whereField("a..b", isEqualTo: 1), cities.whereField(FieldPath([]), isEqualTo: 1),
            cities.whereField(FieldPath.documentID(), isEqualTo: ""),
            cities.whereFilter(.orFilter([.whereField("a..b", isEqualTo: 1), .whereField("a", isEqualTo: 1)])),
            cities.order(by: ""), cities.order(by: FieldPath(["a", ""])), cities.start(at: [1]),
            cities.order(by: "a").end(before: [["__x__": 1]]),
            cities.whereField("a", isGreaterThan: GeoPoint(latitude: .nan, longitude: 0)),
            database.collectionGroup("a/b"), database.collection("a/b"),
        ][index]
        self.expectInvalid(await self.thrown { _ = try await query.getDocuments() }, "\(index)")
        self.expectInvalid(await self.told { done in query.getDocuments { done($1) } }, "\(index)")
        // One without an order may be listened to and counted.
        if query != cities.limit(toLast: 1) {
            self.expectInvalid(await self.told { done in query.addSnapshotListener { done($1) } }, "\(index)")
            self.expectInvalid(await self.thrown { for try await _ in query.limit(to: 5).snapshots {} }, "\(index)")
            self.expectInvalid(await self.thrown { for try await _ in query.stream() {} }, "\(index)")
            let count = await self.thrown { _ = try await query.count.getAggregation(source: .server) }
            self.expectInvalid(count, "\(index)")
        }
    }

    @Test("An aggregate of what is no field fails, and a document has nothing there")
    func fields() async throws {
        let database = try await Databases.offline(calls: self.server)
        for field in [AggregateField.sum("a..b"), .average(FieldPath([]))] {
            let query = database.collection("c").aggregate([field])
            self.expectInvalid(await self.thrown { _ = try await query.getAggregation(source: .server) }, "\(field)")
        }
        let reference = database.document("c/n")
        reference.queueSet(["a": 1])
        let snapshot = try await reference.getDocument(source: .cache)
        #expect(snapshot["a..b"] == nil && snapshot.get(FieldPath([])) == nil && snapshot["a"] as? Int == 1)
    }

    @Test("Certificates that cannot be read, and a host that is none, fail every call and stop nothing")
    func world() async throws {
        let settings = [FirestoreSettings(), FirestoreSettings(), FirestoreSettings()]
        settings[0].trustedRoots = .file("/nowhere/roots.pem")
        settings[1].trustedRoots = .bytes(Array("no certificate".utf8))
        settings[2].host = "localhost:http"
        for settings in settings {
            settings.dispatchQueue = DispatchQueue(label: "handlers")
            settings.host = settings.host == FirestoreSettings().host ? "127.0.0.1:1" : settings.host
            let database = Firestore(projectID: "demo-test", settings: settings)
            let reference = database.document("c/n")
            reference.queueSet(["n": 1])
            for error in [
                await self.told { reference.setData(["n": 1], completion: $0) },
                await self.told { done in reference.getDocument { done($1) } },
                await self.told { done in reference.addSnapshotListener { done($1) } },
                await self.told { database.waitForPendingWrites(completion: $0) },
                await self.told { database.disableNetwork(completion: $0) },
                await self.told { done in database.runTransaction({ _, _ in nil }, completion: { done($1) }) },
                await self.told { done in database.loadBundle(Data(), completion: { done($1) }) },
                await self.thrown { try await reference.setData(["n": 1]) },
                await self.thrown { _ = try await reference.getDocument() },
                await self.thrown { _ = try await database.runTransaction { _ in 1 } },
                await self.thrown { try await database.bulkWriter().deleteDocument(reference) },
                await self.thrown { try await database.recursiveDelete(reference) },
            ] {
                self.expectInvalid(error, "\(settings.host)")
            }
            try await database.terminate()
        }
    }

    @Test("What refuses every call is tried again after a second, and not at every call")
    func refusals() throws {
        let tries = Count()
        let isMended = Mutex(false)
        let time = Mutex(ContinuousClock.now)
        let database = Firestore(app: .unconfigured(projectID: "demo-test"), databaseID: "(default)") {
            options throws(UsageError) in
            tries.add()
            guard isMended.withLock({ $0 }) else { throw UsageError("unreadable") }
            return ClientCore(
                queue: .main,
                host: OfflineHost(database: options.database, collector: .eager),
                calls: FakeDatastore()
            )
        }
        database.state.withLock { $0.now = { time.withLock { $0 } } }
        for _ in 0..<10 { #expect(try database.core().gate.isEnded) }
        #expect(tries.value == 1)
        time.withLock { $0 += .milliseconds(999) }
        #expect(try database.core().gate.isEnded)
        #expect(tries.value == 1)
        isMended.withLock { $0 = true }
        time.withLock { $0 += .milliseconds(1) }
        for _ in 0..<2 { #expect(try !database.core().gate.isEnded) }
        #expect(tries.value == 2)
        database.terminate(completion: nil)
        for _ in 0..<2 { #expect(try database.core().gate.isEnded) }
        #expect(tries.value == 2)
    }

    @Test("Mistakes that stand in a program's text stop it where they cannot be thrown")
    func mistakes() async {
        await #expect(processExitsWith: .failure) {
            let database = Databases.new()
            database.batch().deleteDocument(Databases.new().document("a/b"))
        }
        await #expect(processExitsWith: .failure) {
            let batch = Databases.new().batch()
            batch.commit(completion: nil)
            batch.commit(completion: nil)
        }
        await #expect(processExitsWith: .failure) {
            let database = Databases.new()
            _ = database.collection("a")
            database.useEmulator(withHost: "localhost", port: 1)
        }
        await #expect(processExitsWith: .failure) { Databases.new().useEmulator(withHost: "", port: 1) }
        await #expect(processExitsWith: .failure) {
            _ = PersistentCacheSettings(sizeBytes: 5 as NSNumber)
        }
        await #expect(processExitsWith: .failure) {
            _ = Firestore(app: .unconfigured(projectID: ""), databaseID: "(default)", makeCore: Firestore.connected)
                .collection("a")
        }
    }

    @Test("The default app is configured before its database is asked for")
    func configuration() async {
        await #expect(processExitsWith: .failure) {
            _ = Firestore.firestore()
            FirebaseApp.configure()
        }
        await #expect(processExitsWith: .success) {
            let options = FirebaseOptions()
            options.projectID = "of-app"
            FirebaseApp.configure(options: options)
            precondition(Firestore.firestore().database.string == "projects/of-app/databases/(default)")
        }
    }
}
