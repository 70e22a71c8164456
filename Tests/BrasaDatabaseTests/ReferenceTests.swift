import BrasaApp
import BrasaClientNetwork
import BrasaTree
import Foundation
import NIOCore
import Testing

@testable import BrasaDatabase

@Suite("References and queries")
struct ReferenceTests {
    private func address(_ url: String?, _ environment: [String: String] = [:]) throws(DatabaseFault) -> DatabaseAddress
    {
        try DatabaseAddress(FirebaseOptions(), url: url, environment: environment)
    }

    @Test("A database is where its URL, its project or the environment says")
    func addresses() throws {
        let named = try self.address("https://demo.firebaseio.com")
        #expect(named.name == "demo" && named.isEncrypted && named.server.port == 443)
        #expect(named.text == "https://demo.firebaseio.com")
        let local = try self.address("http://127.0.0.1:9000?ns=demo")
        #expect(local.name == "demo" && !local.isEncrypted && local.server.port == 9000)
        #expect(local.url(path: "a/b") == "http://127.0.0.1:9000/a/b?ns=demo")
        let ofProject = try self.address(
            nil,
            ["GCLOUD_PROJECT": "p", "FIREBASE_DATABASE_EMULATOR_HOST": "localhost:9000"]
        )
        #expect(ofProject.name == "p-default-rtdb" && ofProject.isEmulator && ofProject.server.host == "localhost")
    }

    @Test(
        "What is no address of a database is told",
        arguments: [
            nil, "x", "ftp://a.b.c", "http://localhost:1", "https://a.b.c/path", "http://127.0.0.1:99999?ns=x",
            "http://127.0.0.1:0?ns=x", "http://127.0.0.1:99999999999999999999?ns=x",
        ]
    )
    func badAddresses(_ url: String?) {
        #expect(throws: DatabaseFault.self) { try self.address(url) }
    }

    @Test("A port that is none fails what is asked for, and stops nothing", arguments: [99_999, 0, -1, .max, .min])
    func badPorts(_ port: Int) async throws {
        let database = Databases.at("http://127.0.0.1:9000?ns=demo")
        database.useEmulator(withHost: "127.0.0.1", port: port)
        let ref = database.reference(withPath: "a")
        await #expect(throws: NSError.self) { try await ref.setValue(1) }
        await #expect(throws: NSError.self) { try await ref.getData() }
        let address = ServerAddress(host: "127.0.0.1", port: port)
        let thread = EventLoopThread()
        let resolved = SystemResolver().resolve(address, on: thread.eventLoop)
        if port != 0 { await #expect(throws: ResolutionError.self) { try await resolved.get() } }
    }

    @Test("References lead down, up and to the root")
    func navigation() throws {
        let root = try Databases.offline().reference()
        let ref = root.child("users").child("/ada/name/")
        #expect(
            ref.key == "name" && ref.parent?.key == "ada" && ref.root == root && root.key == nil && root.parent == nil
        )
        #expect(ref == root.child("users/ada/name"))
        #expect(ref.url == "http://127.0.0.1:1/users/ada/name?ns=demo")
        #expect(root.child("a b").description() == "http://127.0.0.1:1/a%20b?ns=demo")
        #expect(root.database.reference(fromURL: "http://127.0.0.1:1/users/ada/name?ns=demo") == ref)
    }

    @Test("New keys sort by when they were made")
    func autoIDs() throws {
        let ref = try Databases.offline().reference()
        let keys = (0..<100).compactMap { _ in ref.childByAutoId().key }
        #expect(keys.count == 100 && keys == keys.sorted() && keys.allSatisfy { $0.utf8.count == 20 })
    }

    @Test(
        "A text that is no path is told by each use, and stops nothing",
        arguments: ["", "a.b", "a#", "$a", "[", "a/b]"]
    )
    func badPaths(_ text: String) async throws {
        let database = try Databases.offline()
        let ref = database.reference().child(text)
        for use in [
            { _ = try await ref.setValue(1) }, { _ = try await ref.getData() },
            { _ = try await ref.child("x").removeValue() },
            { _ = try await ref.runTransactionBlock { .success(withValue: $0) } },
            { _ = try await ref.onDisconnectRemoveValue() },
            { _ = try await ref.observeSingleEventAndPreviousSiblingKey(of: .value) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: NSError.self) { try await use() }
            #expect(error?.domain == "com.firebase")
        }
    }

    @Test("Nothing is written below .info, and what is there can be read")
    func info() async throws {
        let database = try Databases.offline()
        let ref = database.reference(withPath: ".info/connected")
        await #expect(throws: NSError.self) { try await ref.setValue(true) }
        #expect(try await ref.getData().value as? Bool == false)
    }

    @Test(
        "Who is told to stay offline before the first use asks nobody for a token until online",
        .timeLimit(.minutes(1))
    )
    func offlineFromTheStart() async throws {
        let asked = Lines()
        let database = Databases.at("http://127.0.0.1:1?ns=demo")
        database.tokenProvider = { _ in
            asked.say("token")
            return "token"
        }
        database.goOffline()
        #expect(try await database.reference(withPath: ".info/connected").getData().value as? Bool == false)
        // A provider that was asked too early has said so by then.
        try await Task.sleep(for: .milliseconds(100))
        asked.say("online")
        database.goOnline()
        #expect(await asked.next(2) == ["online", "token"])
        await database.end()
    }

    @Test("What does not fit together in a query is told when it is used")
    func queryFaults() async throws {
        let ref = try Databases.offline().reference()
        let queries = [
            ref.queryOrderedByKey().queryOrderedByValue(), ref.queryLimited(toFirst: 0),
            ref.queryLimited(toFirst: 1).queryLimited(toLast: 1), ref.queryStarting(atValue: 1).queryEqual(toValue: 2),
            ref.queryOrderedByKey().queryStarting(atValue: 1),
            ref.queryOrderedByKey().queryStarting(atValue: "a", childKey: "b"), ref.queryStarting(atValue: [1]),
            ref.queryOrdered(byChild: ""), ref.queryStarting(atValue: true),
            ref.queryStarting(atValue: 1, childKey: "a/b"),
        ]
        for query in queries {
            #expect(throws: DatabaseFault.self) { try query.definition.query() }
            await #expect(throws: NSError.self) { try await query.getData() }
        }
    }

    @Test("Queries are asked as other clients ask them")
    func queries() throws {
        let ref = try Databases.offline().reference()
        func wire(_ query: DatabaseQuery) throws -> String {
            String(decoding: try query.definition.query().wire.text, as: UTF8.self)
        }
        #expect(try wire(ref) == "{}")
        #expect(try wire(ref.queryOrdered(byChild: "a/b").queryLimited(toFirst: 3)) == #"{"i":"a/b","l":3,"vf":"l"}"#)
        #expect(try wire(ref.queryOrderedByKey().queryStarting(atValue: "k")) == #"{"i":".key","sin":true,"sp":"k"}"#)
    }

    @Test("Purging fails what waits, and takes back what showed")
    func purge() async throws {
        let database = try Databases.offline()
        let ref = database.reference(withPath: "a")
        let lines = Lines()
        ref.setValue(1) { error, _ in lines.say("\((error as NSError?)?.code ?? 0)") }
        database.purgeOutstandingWrites()
        #expect(await lines.next() == ["3"])
    }

    @Test("A task that waits for a server that does not answer can be cancelled")
    func cancellation() async throws {
        let ref = try Databases.offline().reference(withPath: "a")
        let task = Task { try await ref.setValue(1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A get without a connection fails after three seconds")
    func offlineGet() async throws {
        let ref = try Databases.offline().reference(withPath: "a")
        let error = await #expect(throws: NSError.self) { try await ref.getData() }
        #expect(error?.domain == "com.firebase.core" && error?.code == 1)
    }
}
