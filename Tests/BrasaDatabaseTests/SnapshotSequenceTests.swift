import Foundation
import Synchronization
import Testing

@testable import BrasaDatabase

@Suite("Events in a loop", .timeLimit(.minutes(1)))
struct SnapshotSequenceTests {
    @Test("A loop over values has what there is, then what it becomes, the newest where it is slow")
    func values() async throws {
        try await withServer { server, database in
            let ref = database.reference(withPath: "n")
            let other = try server.database().reference(withPath: "n")
            try await other.setValue(1)
            var values = ref.snapshots().makeAsyncIterator()
            #expect(try await values.next()?.value as? Int == 1)
            // Is told after the loop's observer, which was there before.
            let lines = Lines()
            _ = ref.say(to: lines)
            for number in 2...50 { try await other.setValue(number) }
            await lines.wait(for: "50")
            #expect(try await values.next()?.value as? Int == 50)
        }
    }

    @Test("A loop over children misses none, however slow it is")
    func children() async throws {
        try await withServer { _, database in
            let list = database.reference(withPath: "list")
            var added = list.snapshots(of: .childAdded).makeAsyncIterator()
            for number in 0..<100 { list.child("\(number)").setValue(number, withCompletionBlock: nil) }
            try await list.child("99").setValue(99)
            for number in 0..<100 { #expect(try await added.next()?.key == "\(number)") }
        }
    }

    @Test("A loop does not wait for the handlers' queue")
    func handlersQueue() async throws {
        try await withServer { _, database in
            let isFree = DispatchSemaphore(value: 0)
            database.callbackQueue.async { isFree.wait() }
            defer { isFree.signal() }
            let ref = database.reference(withPath: "a")
            try await ref.setValue(1)
            var values = ref.snapshots().makeAsyncIterator()
            #expect(try await values.next()?.value as? Int == 1)
            #expect(try await ref.observeSingleEventAndPreviousSiblingKey(of: .value).0.value as? Int == 1)
        }
    }

    @Test("Who leaves a loop observes no longer; each loop observes by itself")
    func leaving() async throws {
        try await withServer { _, database in
            let ref = database.reference(withPath: "a")
            let snapshots = ref.snapshots()
            for try await _ in snapshots { break }
            #expect(database.state.withLock { $0.observers.isEmpty })
            for try await snapshot in snapshots {
                #expect(!snapshot.exists())
                #expect(database.state.withLock { $0.observers.count } == 1)
                break
            }
            #expect(database.state.withLock { $0.observers.isEmpty })
        }
    }

    @Test("A loop ends when its task is cancelled")
    func cancellation() async throws {
        try await withServer { _, database in
            let ref = database.reference(withPath: "a")
            let lines = Lines()
            let task = Task {
                for try await snapshot in ref.snapshots() { lines.say(snapshot.json) }
                lines.say("end")
            }
            #expect(await lines.next() == ["null"])
            task.cancel()
            #expect(await lines.next() == ["end"])
            #expect(database.state.withLock { $0.observers.isEmpty })
        }
    }

    @Test("A loop ends with the reason when its database does")
    func ended() async throws {
        let server = try await TreeServerForTest()
        let database = try server.database()
        let ref = database.reference(withPath: "a")
        var values = ref.snapshots().makeAsyncIterator()
        #expect(try await values.next()?.exists() == false)
        await database.end()
        await #expect(throws: NSError.self) { _ = try await values.next() }
        try await server.stop()
    }

    @Test("What cannot be observed ends a loop with its reason")
    func fault() async throws {
        try await withServer { _, database in
            let error = await #expect(throws: NSError.self) {
                for try await _ in database.reference(withPath: "a#b").snapshots() {}
            }
            #expect(error?.localizedDescription.contains("a#b") == true)
        }
    }
}
