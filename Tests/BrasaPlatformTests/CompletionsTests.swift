import BrasaPlatform
import Synchronization
import Testing

@Suite struct CompletionsTests {
    /// Keeps what is posted until it is delivered.
    private final class Box: Mailbox {
        private let posts = Mutex<[@Sendable () -> Void]>([])

        func post(_ work: @escaping @Sendable () -> Void) { self.posts.withLock { $0.append(work) } }

        var count: Int { self.posts.withLock { $0.count } }

        func deliver() {
            for work in self.posts.withLock({ $0 }) { work() }
        }
    }

    private final class Told: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { self.names.withLock { $0 } }

        func note(_ name: String, _ value: Int) { self.names.withLock { $0.append("\(name) \(value)") } }
    }

    @Test func `Each mailbox is posted to once, and tells all in the order in which they came`() {
        let (one, two, told) = (Box(), Box(), Told())
        var completions = Completions<Int>()
        completions.add(one) { told.note("a", $0) }
        completions.add(two) { told.note("b", $0) }
        completions.add(one) { told.note("c", $0) }
        completions.add(one) { told.note("d", $0) }
        #expect(one.count == 0 && two.count == 0)
        completions.run(7)
        #expect(one.count == 1 && two.count == 1 && told.all.isEmpty)
        two.deliver()
        one.deliver()
        #expect(told.all == ["b 7", "a 7", "c 7", "d 7"])
    }

    @Test func `Without a mailbox they are told at once`() {
        let (box, told) = (Box(), Told())
        var completions = Completions<Int>()
        completions.add(nil) { told.note("a", $0) }
        completions.add(box) { told.note("b", $0) }
        completions.add(nil) { told.note("c", $0) }
        completions.run(1)
        #expect(told.all == ["a 1", "c 1"])
    }
}
