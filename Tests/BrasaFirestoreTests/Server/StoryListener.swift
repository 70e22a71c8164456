import BrasaDocuments
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

/// One listener, and what it was told that has not been compared yet.
final class StoryListener: Sendable {
    struct Event: CustomStringConvertible {
        var documents: [ShownDocument]
        /// Nil of a document's listener.
        var changes: [DocumentChange]?
        var isFromCache: Bool
        var hasPendingWrites: Bool
        /// Nothing but the server's commits could change what it shows.
        var isCalm = true

        var description: String {
            "\(self.documents)\(self.isFromCache ? " from cache" : "")\(self.hasPendingWrites ? " pending" : "")"
        }
    }

    private struct State {
        var events: [Event] = []
        var latest: [ShownDocument]?
        var compared = 0
        /// Which state of the history it has shown.
        var number = 0
        var shown: [ShownDocument] = []
        /// The latest events, for people who read about a failure.
        var told: [String] = []
        /// No older version of a document may be shown.
        var versionsMin: [ResourcePath: Int] = [:]
        var wentBack: [String] = []
    }

    let subject: Subject
    private let includesMetadata: Bool
    private let isCalm: @Sendable () -> Bool
    private let state = Mutex(State())
    private let registration = Mutex<(any ListenerRegistration)?>(nil)

    init(
        _ subject: Subject,
        includesMetadata: Bool,
        isCalm: @escaping @Sendable () -> Bool,
        changed: @escaping @Sendable () -> Void
    ) {
        self.subject = subject
        self.isCalm = isCalm
        self.includesMetadata = includesMetadata
        let registration: any ListenerRegistration =
            switch subject.kind {
            case .document(let document):
                document.addSnapshotListener(includeMetadataChanges: includesMetadata) { snapshot, error in
                    #expect(error == nil)
                    guard let snapshot else { return }
                    let documents = snapshot.exists ? [ShownDocument(snapshot)] : []
                    self.hear(Event(documents, nil, snapshot.metadata))
                    changed()
                }
            case .query(let query):
                query.addSnapshotListener(includeMetadataChanges: includesMetadata) { snapshot, error in
                    #expect(error == nil)
                    guard let snapshot else { return }
                    let documents = snapshot.documents.map(ShownDocument.init)
                    self.hear(Event(documents, snapshot.documentChanges, snapshot.metadata))
                    changed()
                }
            }
        self.registration.withLock { $0 = registration }
    }

    func remove() {
        self.registration.withLock { $0?.remove() }
    }

    private func hear(_ event: Event) {
        var event = event
        event.isCalm = self.isCalm()
        self.state.withLock { state in
            for document in event.documents {
                let versionMin = state.versionsMin[document.path] ?? 0
                if document.version < versionMin { state.wentBack.append("\(document) after \(versionMin)") }
                state.versionsMin[document.path] = max(versionMin, document.version)
            }
            state.events.append(event)
            state.latest = event.documents
        }
    }

    /// The listener's client has written these, and they are acknowledged.
    func expect(versionsMin: [ResourcePath: Int]) {
        self.state.withLock { $0.versionsMin.merge(versionsMin, uniquingKeysWith: max) }
    }

    /// What it has shown last.
    var latest: [ShownDocument]? { self.state.withLock { $0.latest } }

    /// Everything it was told so far against the states that there were.
    func compare(_ history: StoryHistory) throws {
        try self.state.withLock { state in
            for event in state.events {
                let about = Comment(rawValue: "\(self.subject.name), event \(state.compared)")
                try self.compare(event, &state, history, about)
                state.shown = event.documents
                state.told = state.told.suffix(5) + ["\(event)"]
                state.compared += 1
            }
            state.events = []
            #expect(state.wentBack == [], "\(self.subject.name)")
        }
    }

    private func compare(_ event: Event, _ state: inout State, _ history: StoryHistory, _ about: Comment) throws {
        if let changes = event.changes {
            #expect(Self.replay(changes, on: state.shown) == event.documents, about)
            #expect(Set(changes.map(\.document.reference)).count == changes.count, about)
            let isTold = state.compared == 0 || self.includesMetadata || !changes.isEmpty
            #expect(isTold, about)
        }
        // Others may show a state that is this client's alone.
        guard event.isCalm, !event.isFromCache, !event.hasPendingWrites else { return }
        let number = try (state.number...history.last).first {
            try self.subject.results(in: history.states[$0]) == event.documents
        }
        if number == nil {
            let states = try (max(0, state.number - 1)...history.last).map { number in
                "\(number): \(try self.subject.results(in: history.states[number])) by \(history.causes[number])"
            }
            let told = state.told.suffix(5) + ["\(event) was never so, or is past:"]
            Issue.record("\(about):\n\((told + states).joined(separator: "\n"))")
        }
        state.number = number ?? state.number
    }

    /// Nil when a change is not one: its place or kind is wrong, or nothing has changed.
    private static func replay(_ changes: [DocumentChange], on shown: [ShownDocument]) -> [ShownDocument]? {
        var documents = shown
        for change in changes {
            let document = ShownDocument(change.document)
            let (old, new) = (Int(exactly: change.oldIndex) ?? NSNotFound, Int(exactly: change.newIndex) ?? NSNotFound)
            guard (change.type == .added) == (old == NSNotFound), (change.type == .removed) == (new == NSNotFound)
            else {
                return nil
            }
            if old != NSNotFound {
                guard documents.indices.contains(old), documents[old].path == document.path else { return nil }
                if change.type == .modified, documents[old] == document { return nil }
                documents.remove(at: old)
            }
            if new != NSNotFound {
                guard new <= documents.count else { return nil }
                documents.insert(document, at: new)
            }
        }
        return documents
    }
}

extension StoryListener.Event {
    fileprivate init(_ documents: [ShownDocument], _ changes: [DocumentChange]?, _ metadata: SnapshotMetadata) {
        self.init(
            documents: documents,
            changes: changes,
            isFromCache: metadata.isFromCache,
            hasPendingWrites: metadata.hasPendingWrites
        )
    }
}
