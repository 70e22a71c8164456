import BrasaApp
import Foundation
import Testing

@testable import BrasaDatabase

@Suite("A cache on disk", .timeLimit(.minutes(1)))
struct PersistenceTests {
    /// A folder that is gone with this object.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "brasa-database-\(UUID().uuidString)").path

        /// A program of its own, on a server or on none.
        func database(port: Int) throws -> Database {
            let database = try Databases.emulated(port: port)
            database.isPersistenceEnabled = true
            database.persistenceFolder = self.path
            return database
        }

        deinit { try? FileManager.default.removeItem(atPath: self.path) }
    }

    @Test("A program that starts without a connection shows what it knew, and sends what it wrote later")
    func restart() async throws {
        let (server, folder) = (try await TreeServerForTest(), Folder())
        let owner = try server.database()
        try await owner.reference(withPath: "list").setValue(["a": 1, "b": 2, "c": 3])

        let first = try folder.database(port: server.port)
        let lines = Lines()
        _ = first.reference(withPath: "list").queryOrderedByKey().queryLimited(toFirst: 2).say(to: lines)
        _ = first.reference(withPath: "count").say(to: lines)
        #expect(Set(await lines.next(2)) == [#"{"a":1,"b":2}"#, "null"])
        try await first.reference(withPath: "count").setValue(40)
        await lines.wait(for: "40")
        // Until the server has answered the listens, nothing is kept of them.
        _ = try await first.reference(withPath: "list/a").getData()
        first.goOffline()
        first.reference().updateChildValues(
            ["count": ServerValue.increment(2), "list/aa": true],
            withCompletionBlock: { _, _ in }
        )
        await lines.wait(for: "42")
        await first.end()

        let second = try folder.database(port: server.port)
        second.goOffline()
        let seen = Lines()
        _ = second.reference(withPath: "count").say(to: seen)
        #expect(await seen.next() == ["42"])
        _ = second.reference(withPath: "list").queryOrderedByKey().queryLimited(toFirst: 2).say(to: seen)
        #expect(await seen.next() == [#"{"a":1,"aa":true}"#])
        #expect(try await second.reference(withPath: "count").getData().value as? Int == 42)
        second.goOnline()
        let others = Lines()
        _ = owner.reference(withPath: "list/aa").say(to: others)
        await others.wait(for: "true")
        #expect(try await owner.reference(withPath: "count").getData().value as? Int == 42)
        await second.end()

        let third = try folder.database(port: server.port)
        third.goOffline()
        #expect(try await third.reference(withPath: "count").getData().value as? Int == 42)
        await #expect(throws: (any Error).self) { _ = try await third.reference(withPath: "unknown").getData() }
        await third.end()
        owner.goOffline()
        try await server.stop()
    }

    @Test("What is kept synced is there without a connection after a restart, though nobody has looked at it")
    func keptSynced() async throws {
        let (server, folder) = (try await TreeServerForTest(), Folder())
        let owner = try server.database()
        try await owner.reference().setValue(["kept": ["a": 1], "other": 2])
        let first = try folder.database(port: server.port)
        let kept = first.reference(withPath: "kept")
        kept.keepSynced(true)
        try await owner.reference(withPath: "kept/b").setValue(3)
        // By what it knows, once that is all of it.
        while try await kept.getData().childrenCount < 2 {}
        _ = try await first.reference(withPath: "other").getData()
        await first.end()
        let second = try folder.database(port: server.port)
        second.goOffline()
        #expect(try await second.reference(withPath: "kept").getData().json == #"{"a":1,"b":3}"#)
        await #expect(throws: (any Error).self) { try await second.reference(withPath: "other").getData() }
        await second.end()
        owner.goOffline()
        try await server.stop()
    }

    @Test("The cache's size is 10 MiB unless it is set")
    func size() throws {
        let database = try Databases.emulated(port: 1)
        #expect(database.persistenceCacheSizeBytes == 10 << 20)
        for bytes in [1 << 20, 100 << 20] as [UInt] {
            database.persistenceCacheSizeBytes = bytes
            #expect(database.persistenceCacheSizeBytes == bytes)
        }
    }

    @Test("A second program cannot use a cache that is in use; after the end of the first it can")
    func inUse() async throws {
        let folder = Folder()
        let first = try folder.database(port: 1)
        first.reference().setValue(1, withCompletionBlock: { _, _ in })
        let second = try folder.database(port: 1)
        let error = await #expect(throws: (any Error).self) { try await second.reference().setValue(2) }
        #expect("\(try #require(error))".contains("in use"))
        await first.end()
        let third = try folder.database(port: 1)
        third.goOffline()
        let lines = Lines()
        _ = third.reference().say(to: lines)
        #expect(await lines.next() == ["1"])
        third.purgeOutstandingWrites()
        await third.end()
        let fourth = try folder.database(port: 1)
        await #expect(throws: (any Error).self) { _ = try await fourth.reference().getData() }
        await fourth.end()
    }

    @Test("A folder that cannot be made: the system's error is below the one that is thrown")
    func noFolder() async throws {
        let folder = Folder()
        try Data("x".utf8).write(to: URL(filePath: folder.path))
        let database = try folder.database(port: 1)
        let error = try #require(await #expect(throws: NSError.self) { try await database.reference().setValue(1) })
        #expect(error.domain == "com.firebase")
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? any Error)
        #expect((cause as NSError).domain == NSCocoaErrorDomain)
        await database.end()
    }
}
