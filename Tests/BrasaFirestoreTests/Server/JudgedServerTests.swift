import BrasaPlatform
import BrasaSigner
import BrasaTokens
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

/// The client of a user, on a server that asks rules: what is refused is told, and what is allowed goes on beside it.
@Suite("With a server that asks rules", .timeLimit(.minutes(2)))
struct JudgedServerTests {
    private static let rules = """
        rules_version = '2';
        service cloud.firestore { match /databases/{database}/documents {
          match /notes/{note} {
            allow read: if resource == null || resource.data.owner == request.auth.uid;
            allow create: if request.resource.data.owner == request.auth.uid;
            allow update: if resource.data.owner == request.auth.uid && request.resource.data.n < 10;
          }
        } }
        """

    /// Which token is shown, until the server does not take it any more.
    private final class Tokens: Sendable {
        private let shown: Mutex<String>
        private let refreshes = Mutex(0)

        init(_ token: String) { self.shown = Mutex(token) }

        var next: String {
            get { self.shown.withLock { $0 } }
            set { self.shown.withLock { $0 = newValue } }
        }
        var refreshCount: Int { self.refreshes.withLock { $0 } }

        func take(_ isRefresh: Bool) -> String {
            if isRefresh { self.refreshes.withLock { $0 += 1 } }
            return self.next
        }

        /// As the emulator's users are named.
        static func user(_ name: String) -> String {
            let parts = [#"{"alg":"none","typ":"JWT"}"#, #"{"sub":"\#(name)"}"#].map { part in
                Data(part.utf8).base64EncodedString().replacing("=", with: "")
                    .replacing("+", with: "-").replacing("/", with: "_")
            }
            return "\(parts[0]).\(parts[1])."
        }
    }

    /// What a listener was told.
    private struct Event: Equatable, Sendable {
        var numbers: [Int] = []
        var isPending = false
        var error: FirestoreErrorCode.Code?
    }

    /// A listener's events, one after the other, without those that come from the cache alone.
    private final class Events: Sendable {
        private let events: AsyncStream<Event>
        private let registration: any ListenerRegistration

        init(_ reference: DocumentReference) {
            let (events, told) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(100))
            self.events = events
            self.registration = reference.addSnapshotListener { snapshot, error in
                Self.tell(snapshot.map { ($0["n"] as? Int).map { [$0] } ?? [] }, snapshot?.metadata, error, to: told)
            }
        }

        init(_ query: Query) {
            let (events, told) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(100))
            self.events = events
            self.registration = query.addSnapshotListener { snapshot, error in
                let numbers = snapshot?.documents.compactMap { $0["n"] as? Int }
                Self.tell(numbers, snapshot?.metadata, error, to: told)
            }
        }

        private static func tell(
            _ numbers: [Int]?,
            _ metadata: SnapshotMetadata?,
            _ error: (any Error)?,
            to told: AsyncStream<Event>.Continuation
        ) {
            if let error { told.yield(Event(error: FirestoreErrorCode(error)?.code)) }
            guard let numbers, let metadata, !metadata.isFromCache || metadata.hasPendingWrites else { return }
            told.yield(Event(numbers: numbers, isPending: metadata.hasPendingWrites))
        }

        func next() async throws -> Event {
            for await event in self.events { return event }
            throw CancellationError()
        }

        func remove() { self.registration.remove() }
    }

    /// A server with rules, and what two users have in it.
    private final class House: Sendable {
        private let folder: CacheFolderForTest
        private let data: String
        let server: LocalServer

        init() async throws {
            let folder = CacheFolderForTest()
            let data = folder.url.appendingPathComponent("data").path
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
            let rules = folder.url.appendingPathComponent("rules")
            try Data(JudgedServerTests.rules.utf8).write(to: rules)
            self.folder = folder
            self.data = data
            self.server = try await LocalServer(folder: data, rulesFile: rules.path)
            let owner = self.client(Tokens("owner"))
            try await owner.document("notes/ann").setData(["owner": "ann", "n": 1])
            try await owner.document("notes/bob").setData(["owner": "bob", "n": 2])
            try await owner.terminate()
        }

        func client(_ tokens: Tokens) -> Firestore {
            let settings = FirestoreSettings()
            settings.dispatchQueue = DispatchQueue(label: "handlers")
            settings.host = "127.0.0.1:\(self.server.port)"
            settings.isSSLEnabled = false
            settings.tokenProvider = { tokens.take($0) }
            return Firestore(projectID: "demo-test", settings: settings)
        }

        /// Of an administrator, whose key is of this name.
        func key(_ name: String) throws -> String {
            let text = try self.keys.create(
                name,
                role: .administrator,
                databases: [],
                project: "demo-test",
                server: "http://127.0.0.1:1",
                clock: .system,
                entropy: .system
            )
            let path = self.folder.url.appendingPathComponent("\(name).json").path
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }

        var keys: AdministratorKeyStore { AdministratorKeyStore(disk: RealDisk(), dataDirectory: self.data) }
    }

    private func code(_ body: () async throws -> Void) async -> FirestoreErrorCode.Code? {
        do {
            try await body()
            return nil
        } catch {
            return FirestoreErrorCode(error)?.code
        }
    }

    @Test("A user reads, lists, writes and listens to what is theirs, and is refused the rest")
    func allowedAndDenied() async throws {
        let house = try await House()
        let ann = house.client(Tokens(Tokens.user("ann")))
        let notes = ann.collection("notes")
        try await notes.document("ann").updateData(["n": 3])
        try await notes.document("second").setData(["owner": "ann", "n": 4])
        #expect(try await notes.document("ann").getDocument(source: .server)["n"] as? Int == 3)
        let mine = notes.whereField("owner", isEqualTo: "ann").order(by: "n")
        #expect(try await mine.getDocuments(source: .server).documents.map { $0["n"] as? Int } == [3, 4])
        #expect(try await mine.count.getAggregation(source: .server).count == 2)
        try await ann.runTransaction { transaction in
            let reference = ann.document("notes/ann")
            let note = try await transaction.getDocument(reference)
            transaction.updateData(["n": (note["n"] as? Int ?? 0) + 1], forDocument: reference)
        }
        #expect(try await notes.document("ann").getDocument(source: .server)["n"] as? Int == 4)

        // What the query asks for has to prove the rule: rules are no filters.
        #expect(await self.code { _ = try await notes.getDocuments(source: .server) } == .permissionDenied)
        #expect(
            await self.code { _ = try await notes.document("bob").getDocument(source: .server) } == .permissionDenied
        )
        #expect(await self.code { _ = try await notes.count.getAggregation(source: .server) } == .permissionDenied)
        #expect(await self.code { try await notes.document("new").setData(["owner": "bob"]) } == .permissionDenied)
        #expect(await self.code { try await notes.document("ann").delete() } == .permissionDenied)
        let batch = ann.batch()
        batch.updateData(["n": 5], forDocument: notes.document("ann"))
        batch.updateData(["n": 5], forDocument: notes.document("bob"))
        #expect(await self.code { try await batch.commit() } == .permissionDenied)
        #expect(try await mine.getDocuments(source: .server).documents.map { $0["n"] as? Int } == [4, 4])
        try await ann.terminate()
        try await house.server.stop()
    }

    @Test("A write that is refused is shown, then taken back, and the listener goes on")
    func deniedWrite() async throws {
        let house = try await House()
        let ann = house.client(Tokens(Tokens.user("ann")))
        let note = ann.document("notes/ann")
        let events = Events(note)
        #expect(try await events.next() == Event(numbers: [1]))
        #expect(await self.code { try await note.updateData(["n": 10]) } == .permissionDenied)
        #expect(try await events.next() == Event(numbers: [10], isPending: true))
        #expect(try await events.next() == Event(numbers: [1]))
        try await note.updateData(["n": 9])
        #expect(try await events.next() == Event(numbers: [9], isPending: true))
        events.remove()
        #expect(try await note.getDocument(source: .server)["n"] as? Int == 9)
        try await ann.terminate()
        try await house.server.stop()
    }

    @Test("A listener that is refused ends with PERMISSION_DENIED, and no other does")
    func deniedListener() async throws {
        let house = try await House()
        let ann = house.client(Tokens(Tokens.user("ann")))
        let notes = ann.collection("notes")
        let allowed = Events(notes.document("ann"))
        #expect(try await allowed.next() == Event(numbers: [1]))
        let denied = Events(notes.document("bob"))
        let unproved = Events(notes.order(by: "n"))
        #expect(try await denied.next() == Event(error: .permissionDenied))
        #expect(try await unproved.next() == Event(error: .permissionDenied))

        // Of another client, which has nothing in its cache.
        let other = house.client(Tokens(Tokens.user("ann")))
        let mine = Events(other.collection("notes").whereField("owner", isEqualTo: "ann"))
        #expect(try await mine.next() == Event(numbers: [1]))
        try await notes.document("ann").updateData(["n": 2])
        #expect(try await allowed.next() == Event(numbers: [2], isPending: true))
        #expect(try await mine.next() == Event(numbers: [2]))
        for events in [allowed, denied, unproved, mine] { events.remove() }
        for client in [ann, other] { try await client.terminate() }
        try await house.server.stop()
    }

    @Test("When a token ends, listeners go on with the next, as whom that names")
    func tokenChange() async throws {
        let house = try await House()
        let file = try house.key("operator")
        await house.server.reloadKeys()
        let key = try SigningKey(keyFile: file, disk: RealDisk())
        let tokens = Tokens(try #require(key.token(at: Int64(Date().timeIntervalSince1970))))
        let client = house.client(tokens)
        let (mine, others) = (Events(client.document("notes/ann")), Events(client.document("notes/bob")))
        #expect(try await mine.next() == Event(numbers: [1]))
        #expect(try await others.next() == Event(numbers: [2]))
        #expect(tokens.refreshCount == 0)

        tokens.next = Tokens.user("ann")
        try house.keys.delete("operator")
        await house.server.reloadKeys()
        #expect(try await others.next() == Event(error: .permissionDenied))
        #expect(tokens.refreshCount > 0)
        let owner = house.client(Tokens("owner"))
        try await owner.document("notes/ann").updateData(["n": 7])
        #expect(try await mine.next() == Event(numbers: [7]))
        mine.remove()
        others.remove()
        for client in [client, owner] { try await client.terminate() }
        try await house.server.stop()
    }
}
