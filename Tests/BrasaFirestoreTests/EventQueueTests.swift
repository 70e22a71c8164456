import BrasaDocuments
import BrasaQueries
import BrasaStatus
import BrasaSync
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Events that wait")
struct EventQueueTests {
    /// States of a collection, one after the other, by what a random writer does.
    private func states(_ count: Int) async throws -> [ViewSnapshot] {
        let database = try await Databases.offline()
        let collection = database.collection("c")
        let loop = Loop(collection.order(by: "n").snapshots(includeMetadataChanges: true))
        var states = [try #require(try await loop.next()?.view)]
        var step = 0
        while states.count < count {
            step += 1
            let document = collection.document("\(Int.random(in: 0..<5))")
            if Int.random(in: 0..<3) == 0 {
                let existed = states.last?.documents[try document.resource] != nil
                document.queueDelete()
                if !existed { continue }
            } else {
                document.queueSet(["n": step])
            }
            states.append(try #require(try await loop.next()?.view))
        }
        return states
    }

    @Test("Past the bound the newest events become one, and no change is lost")
    func coalesced() async throws {
        let states = try await self.states(60)
        var queue = EventQueue()
        for state in states { _ = queue.append(.success(state)) }
        #expect(queue.count == EventQueue.countMax)
        // Whoever replays the changes has the same documents in the same order at every step.
        var replayed: [(path: ResourcePath, fields: EncodedFields)] = []
        var last: ViewSnapshot?
        while case .success(let state)? = queue.next() {
            for change in try #require(state.indexedChanges(includeMetadataChanges: true)) {
                if let old = change.oldIndex {
                    #expect(replayed[old].path == change.document.path)
                    replayed.remove(at: old)
                }
                if let new = change.newIndex {
                    replayed.insert((change.document.path, change.document.fields), at: new)
                }
            }
            #expect(replayed.map(\.path) == state.documents.map(\.path))
            #expect(replayed.map(\.fields) == state.documents.map(\.fields))
            last = state
        }
        #expect(last?.documents.map(\.path) == states.last?.documents.map(\.path))
    }

    @Test("An error is the last event, whatever waits")
    func error() async throws {
        let states = try await self.states(2)
        var queue = EventQueue()
        for _ in 0..<20 { _ = queue.append(.success(states[1])) }
        let isNew = queue.append(.failure(SyncError(.permissionDenied)))
        #expect(isNew)
        var last: EventQueue.Event?
        while let event = queue.next() { last = event }
        guard case .failure? = last else {
            Issue.record("no error at the end")
            return
        }
    }

    @Test("On a concurrent queue events still come one at a time and in order")
    func concurrentQueue() async throws {
        let states = try await self.states(2)
        let running = Atomic(0)
        let (events, continuation) = AsyncStream<Bool>.makeStream()
        let listener = ClosureListener(queue: DispatchQueue(label: "many", attributes: .concurrent)) { event in
            let isAlone = running.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1
            if case .failure = event {
                continuation.yield(isAlone)
                continuation.finish()
            } else {
                continuation.yield(isAlone)
            }
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        for _ in 0..<200 { listener.post(.success(states[1])) }
        listener.post(.failure(SyncError(.aborted)))
        var count = 0
        for await isAlone in events {
            #expect(isAlone)
            count += 1
        }
        #expect(count >= 2)
    }
}
