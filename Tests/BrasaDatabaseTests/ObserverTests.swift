import BrasaTree
import Foundation
import Synchronization
import Testing

@testable import BrasaDatabase

@Suite("Handlers that are slower than the changes", .timeLimit(.minutes(1)))
struct ObserverTests {
    /// What handlers were told.
    private struct Told {
        var children = 0
        var values: [UInt] = []
        /// Whether a value was not what the child events before it have made.
        var isBehind = false
    }

    private final class Record: Sendable {
        let told = Mutex(Told())
    }

    /// A queue that does nothing until it may.
    private func blocked(_ database: Database) -> DispatchSemaphore {
        let isFree = DispatchSemaphore(value: 0)
        database.callbackQueue.async { isFree.wait() }
        return isFree
    }

    /// Until the queue has done what it was given.
    private func finish(_ database: Database) async {
        await withCheckedContinuation { continuation in
            database.callbackQueue.async { continuation.resume() }
        }
    }

    @Test("They miss values in between, and no child event; each value comes after the child events that made it")
    func slowHandlers() async throws {
        let database = try Databases.offline()
        let list = database.reference(withPath: "list")
        let record = Record()
        let isFree = self.blocked(database)
        list.observe(.childAdded) { _ in record.told.withLock { $0.children += 1 } }
        list.observe(.value) { snapshot in
            record.told.withLock { told in
                told.values.append(snapshot.childrenCount)
                if snapshot.childrenCount != told.children { told.isBehind = true }
            }
        }
        list.setValue(["0": 0], withCompletionBlock: nil)
        for number in 1..<200 { list.child("\(number)").setValue(number, withCompletionBlock: nil) }
        // It is told without the queue, after all of it.
        #expect(try await list.observeSingleEventAndPreviousSiblingKey(of: .value).0.childrenCount == 200)
        isFree.signal()
        await self.finish(database)
        record.told.withLock { told in
            #expect(told.children == 200 && !told.isBehind)
            #expect(told.values.last == 200 && told.values.count <= 8 && told.values == told.values.sorted())
        }
    }

    @Test("One that is not far behind is told each value")
    func eachValue() async throws {
        let ref = try Databases.offline().reference(withPath: "a")
        let lines = Lines()
        _ = ref.say(to: lines)
        for number in 0..<8 { ref.setValue(number, withCompletionBlock: nil) }
        #expect(await lines.next(8) == (0..<8).map { "\($0)" })
    }

    @Test("On a queue that is not serial it misses values, and is told those that come")
    func turnsOutOfOrder() throws {
        let record = Record()
        let ref = try Databases.offline().reference(withPath: "a")
        let observer = Observer(
            of: ref,
            .value,
            isSingle: false,
            delivery: .onQueue,
            { snapshot, _ in record.told.withLock { $0.values.append(UInt(snapshot.value as? Int ?? 0)) } },
            cancel: nil
        )
        // Two threads of such a queue, of which one is late.
        let (late, prompt) = (DispatchQueue(label: "late"), DispatchQueue(label: "prompt"))
        let isFree = DispatchSemaphore(value: 0)
        late.async { isFree.wait() }
        for (turn, queue) in [(1, late), (2, prompt), (3, prompt)] {
            observer.deliver(DataSnapshot(ref, .leaf(.integer(Int64(turn)))), nil, on: queue, number: turn)
        }
        prompt.sync {}
        isFree.signal()
        late.sync {}
        observer.deliver(DataSnapshot(ref, .leaf(.integer(4))), nil, on: prompt, number: 4)
        prompt.sync {}
        #expect(record.told.withLock { $0.values } == [2, 3, 4])
    }

    @Test("A removed one that values wait for is told nothing, and keeps none of them")
    func removed() async throws {
        let database = try Databases.offline()
        let ref = database.reference(withPath: "a")
        let record = Record()
        let isFree = self.blocked(database)
        let handle = ref.observe(.value) { _ in record.told.withLock { $0.values.append(0) } }
        for number in 0..<20 { ref.setValue(number, withCompletionBlock: nil) }
        #expect(try await ref.observeSingleEventAndPreviousSiblingKey(of: .value).0.value as? Int == 19)
        ref.removeObserver(withHandle: handle)
        isFree.signal()
        await self.finish(database)
        #expect(record.told.withLock { $0.values } == [])
    }
}
