import BrasaIdentity
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import Synchronization
import Testing

@testable import BrasaTreeService

/// Event streams of two trees, of which one changes much.
@Suite struct EventStreamTests {
    private let bench: ServiceBench
    private let followers: TreeFollowers
    private let busy: TreeHandle

    init() throws {
        self.bench = try ServiceBench()
        let server = self.bench.server
        self.followers = TreeFollowers(store: server.store, mailbox: server.scheduler.mailbox())
        self.busy = server.store.tree(try #require(TreeNamespace("busy")))
    }

    private func commit(_ value: String, at path: String, in tree: TreeHandle) throws {
        let location = try TreeLocation(path)
        let write = try TreeWrite.set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
        self.bench.server.transactions.commitTree(
            TreeOrder([write], to: tree),
            reply: Reply(mailbox: self.bench.server.scheduler.mailbox()) { _ in }
        )
    }

    /// Of the whole tree of the bench's name, which has one member, after its first event; `woken` counts.
    private func stream(_ woken: Counter) throws -> TreeEventStream {
        _ = try self.bench.ask(.put, "/", [], #"{"there":1}"#)
        let call = TreeCall(.get, self.bench.name, try TreeLocation("/"), by: .administrator)
        guard case .stream(let stream) = self.bench.service.stream(call, admission: nil, self.followers) else {
            throw Refused()
        }
        stream.start { woken.add() }
        guard case .put(.root, _)? = stream.next().event?.event else { throw Refused() }
        #expect(stream.next().event == nil)
        return stream
    }

    private struct Refused: Error {}

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { self.value.withLock { $0 } }
        func add() { self.value.withLock { $0 += 1 } }
    }

    @Test func `A stream is woken though many other steps came first, and nothing after`() throws {
        let woken = Counter()
        let stream = try self.stream(woken)
        for index in 0..<600 {
            try self.commit("\(index)", at: "/n", in: self.busy)
            if index % 50 == 49 { self.bench.server.settle() }
        }
        try self.commit("2", at: "/there", in: self.bench.server.store.tree(self.bench.name))
        self.bench.server.settle()
        let before = woken.count
        self.followers.wake()
        self.bench.server.settle()
        #expect(woken.count == before + 1)
        var event: TreeEvent?
        for _ in 0..<20 where event == nil { event = stream.next().event?.event }
        guard case .put(let path, let node)? = event else { throw Refused() }
        #expect(path == (try TreePath("/there")) && String(decoding: node.text(.plain), as: UTF8.self) == "2")
    }

    @Test func `What changes in a quiet tree is told alone, though a busy one had all steps of that time forgotten`()
        throws
    {
        let stream = try self.stream(Counter())
        for index in 0..<20 {
            try self.commit("\(index)", at: "/n", in: self.busy)
            self.bench.server.settle()
            self.followers.wake()
            self.bench.server.settle()
            self.bench.server.clock.advance(microseconds: 1_000_000)
            while self.bench.server.store.maintain() {}
        }
        try self.commit("2", at: "/new", in: self.bench.server.store.tree(self.bench.name))
        self.bench.server.settle()
        guard case .put(let path, _)? = stream.next().event?.event else { throw Refused() }
        #expect(path == (try TreePath("/new")))
    }
}
