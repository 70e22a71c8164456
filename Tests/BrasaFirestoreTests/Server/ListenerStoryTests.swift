import BrasaDocuments
import BrasaQueryModel
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

/// Random writes by two clients, and listeners of each of them.
private final class Story {
    private static let paths = ["c", "d", "c/a/c", "d/b/c"].flatMap { collection in
        "abcdef".map { "\(collection)/\($0)" }
    }

    private var chances: SeededRandom
    private var history = StoryHistory()
    private var version = 0
    /// Writes and listens to nothing.
    private var writer: Firestore
    /// Write and listen.
    private let clients: [Firestore]
    private var listeners: [StoryListener] = []
    /// Nothing breaks, and no client has written since all listeners showed the last state.
    private let calm: Calm
    private let breaks: Bool

    private final class Calm: Sendable {
        private let state: Mutex<Bool>

        init(_ isCalm: Bool) { self.state = Mutex(isCalm) }

        var isCalm: Bool {
            get { self.state.withLock { $0 } }
            set { self.state.withLock { $0 = newValue } }
        }
    }

    private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Targets that are listened to again after a break catch up one by one, so states are compared without breaks only.
    init(seed: UInt64, breaks: Bool, writer: Firestore, clients: [Firestore]) async throws {
        self.breaks = breaks
        let calm = Calm(!breaks)
        self.calm = calm
        self.chances = SeededRandom(seed: seed)
        self.writer = writer
        self.clients = clients
        for _ in 0..<8 { try await self.commit() }
        for (place, client) in clients.enumerated() {
            for subject in Subject.all(of: client) {
                let changed = self.changes.continuation
                self.listeners.append(
                    StoryListener(
                        subject,
                        includesMetadata: place % 2 == 1,
                        isCalm: { calm.isCalm },
                        changed: { changed.yield() }
                    )
                )
            }
        }
        try await self.settle()
    }

    /// The writer gets a connection of its own to a server that was started again.
    func write(by writer: Firestore) async throws {
        try await self.writer.terminate()
        self.writer = writer
    }

    func commit() async throws {
        let writes = self.writes()
        var contents: [ResourcePath: StoryContent?] = [:]
        for (path, content) in writes { contents[try self.writer.document(path).resource] = .some(content) }
        // Listeners may hear of it before the answer is here, but are not compared before.
        let chance = Int.random(in: 0..<8, using: &self.chances)
        let own =
            chance == 1 && !self.listeners.isEmpty ? Int.random(in: 0..<self.clients.count, using: &self.chances) : nil
        self.history.commit(contents, by: own.map { "client \($0)" } ?? "writer")
        if let own {
            self.calm.isCalm = false
            try await self.write(writes, by: self.clients[own])
            await self.note(contents, writtenBy: own)
        } else if chance.isMultiple(of: 4) {
            try await self.transact(writes)
        } else {
            try await self.write(writes, by: self.writer)
        }
    }

    /// A client sees its own writes at once, and never anything older again.
    private func note(_ contents: [ResourcePath: StoryContent?], writtenBy own: Int) async {
        // What was told before the write has been heard.
        let queue = self.clients[own].settings.dispatchQueue
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        let versionsMin = contents.mapValues { $0?.version ?? self.version + 1 }
        let subjects = self.listeners.count / self.clients.count
        for listener in self.listeners[(own * subjects)..<((own + 1) * subjects)] {
            listener.expect(versionsMin: versionsMin)
        }
    }

    private func writes() -> [String: StoryContent?] {
        let count = [1, 1, 2, 4].randomElement(using: &self.chances) ?? 1
        var writes: [String: StoryContent?] = [:]
        for path in Self.paths.shuffled(using: &self.chances).prefix(count) {
            let isSet = Int.random(in: 0..<10, using: &self.chances) < 7
            writes[path] = .some(isSet ? self.content() : nil)
        }
        return writes
    }

    private func content() -> StoryContent {
        self.version += 1
        return StoryContent(
            n: [nil, 0, 1, 2, 3, 4, 5, 6, 7, 8].randomElement(using: &self.chances) ?? nil,
            tag: [nil, "red", "red", "blue", "green"].randomElement(using: &self.chances) ?? nil,
            list: [[], [1], [1, 2], [2, 3]].randomElement(using: &self.chances) ?? [],
            version: self.version
        )
    }

    private func write(_ writes: [String: StoryContent?], by client: Firestore) async throws {
        let batch = client.batch()
        for (path, content) in writes {
            let document = client.document(path)
            if let content {
                batch.setData(content.data, forDocument: document)
            } else {
                batch.deleteDocument(document)
            }
        }
        try await batch.commit()
    }

    private func transact(_ writes: [String: StoryContent?]) async throws {
        let writer = self.writer
        try await writer.runTransaction { transaction in
            for path in writes.keys { try await transaction.getDocument(writer.document(path)) }
            for (path, content) in writes {
                let document = writer.document(path)
                if let content {
                    transaction.setData(content.data, forDocument: document)
                } else {
                    transaction.deleteDocument(document)
                }
            }
        }
    }

    /// Waits until every listener shows the last state, and compares what all were told on their way.
    func settle() async throws {
        let state = self.history.states[self.history.last]
        let expected = try self.listeners.map { try $0.subject.results(in: state) }
        self.changes.continuation.yield()
        for await _ in self.changes.stream {
            if zip(self.listeners, expected).allSatisfy({ $0.latest == $1 }) { break }
        }
        for listener in self.listeners { try listener.compare(self.history) }
        self.calm.isCalm = !self.breaks
    }

    func end() async throws {
        for listener in self.listeners { listener.remove() }
        for client in self.clients + [self.writer] { try await client.terminate() }
    }
}

/// What listeners are told is what a model predicts, step by step.
@Suite struct ListenerStoryTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `What listeners are told is what the model predicts`(_ seed: UInt64) async throws {
        let server = try await LocalServer()
        let story = try await Story(
            seed: seed,
            breaks: false,
            writer: server.client(),
            clients: [server.client(), server.client()]
        )
        for step in 1...60 {
            try await story.commit()
            if step % 6 == 0 { try await story.settle() }
        }
        try await story.end()
        try await server.stop()
    }

    @Test func `Listeners go on over connections that break`() async throws {
        let server = try await LocalServer()
        let mischief = ChaosProxy.Mischief(drops: 10, resets: 10, delays: 50)
        let proxy = try await ChaosProxy(to: server.port, seed: 5, mischief)
        let story = try await Story(
            seed: 3,
            breaks: true,
            writer: server.client(),
            clients: [server.client(through: proxy), server.client(through: proxy)]
        )
        for step in 1...40 {
            try await story.commit()
            if step % 10 == 0 { try await story.settle() }
        }
        #expect(proxy.breaks > 0)
        try await story.end()
        try await proxy.stop()
        try await server.stop()
    }

    @Test func `Listeners go on after their server was started again`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("brasa-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var server = try await LocalServer(folder: folder.path)
        let port = server.port
        let clients = [server.client(), server.client()]
        let story = try await Story(seed: 4, breaks: true, writer: server.client(), clients: clients)
        for life in 1...3 {
            for _ in 1...10 { try await story.commit() }
            if life % 2 == 0 { try await story.settle() }
            try await server.stop()
            server = try await LocalServer(port: port, folder: folder.path)
            try await story.write(by: server.client())
            for _ in 1...5 { try await story.commit() }
            try await story.settle()
        }
        try await story.end()
        try await server.stop()
    }
}
