import BrasaFirestore
import Foundation
import Synchronization

/// The listeners of one client.
final class ClientListening: Sendable {
    private struct State {
        /// By task: what it waits for, and the newest that was seen of it.
        var waiters: [Int: (version: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var seen: [Int: Int] = [:]
        var lastPlace = 0
        var registrations: [Int: any ListenerRegistration] = [:]
    }

    private let state = Mutex(State())
    private let documents: Int
    private let tasks: Int

    init(documents: Int, tasks: Int) {
        self.documents = documents
        self.tasks = tasks
    }

    // MARK: One listener to all documents

    /// Which document the task changes that makes this call.
    func place(of number: Int) -> Int {
        let task = number >> 32
        return ((task >> 16) * self.tasks + task & 0xffff) % self.documents
    }

    /// Returns when the server has told the listener all documents.
    func begin(_ collection: CollectionReference) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let first = FirstAnswer(continuation)
            collection.addSnapshotListener(includeMetadataChanges: true) { snapshot, error in
                guard let snapshot else { return first.end(error) }
                if !snapshot.metadata.isFromCache { first.end(nil) }
                for change in snapshot.documentChanges {
                    if let version = change.document.get("version") as? NSNumber { self.note(version.intValue) }
                }
            }
        }
    }

    /// Returns when the listener has seen what a task's call has written.
    func change(seen number: Int) async {
        await withCheckedContinuation { continuation in
            let isSeen = self.state.withLock { state in
                if (state.seen[number >> 32] ?? 0) >= number { return true }
                state.waiters[number >> 32] = (number, continuation)
                return false
            }
            if isSeen { continuation.resume() }
        }
    }

    private func note(_ number: Int) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.seen[number >> 32] = number
            guard let waiter = state.waiters[number >> 32], waiter.version <= number else { return nil }
            state.waiters[number >> 32] = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    // MARK: Many listeners

    /// One document after the other.
    func nextPlace() -> Int {
        self.state.withLock { state in
            state.lastPlace += 1
            return state.lastPlace % self.documents
        }
    }

    /// Returns when the server has answered; the document's last listener ends before.
    func listen(to document: DocumentReference, at place: Int) async throws {
        self.state.withLock { $0.registrations.removeValue(forKey: place) }?.remove()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let first = FirstAnswer(continuation)
            let registration = document.addSnapshotListener(includeMetadataChanges: true) { snapshot, error in
                guard let snapshot else { return first.end(error) }
                if !snapshot.metadata.isFromCache { first.end(nil) }
            }
            self.state.withLock { $0.registrations[place] = registration }
        }
    }
}

/// A wait for a listener's first answer.
private final class FirstAnswer: Sendable {
    private let continuation: Mutex<CheckedContinuation<Void, any Error>?>

    init(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = Mutex(continuation)
    }

    func end(_ error: (any Error)?) {
        let waiting = self.continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
    }
}
