import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaStore
import BrasaTransactions
import Dispatch
import Synchronization

/// A store and its door, with documents of about 100 bytes to write.
final class Engine: Sendable {
    let store: Store
    private let transactions: TransactionManager
    private let database: DatabaseHandle
    private let names: [DocumentName]
    private let fields: [EncodedFields]
    private let failures = Atomic<Int>(0)

    init(durability: Durability, directory: String, documents: Int) throws {
        self.store = try Store.opened(durability: durability, directory: directory)
        self.store.start()
        self.transactions = TransactionManager(store: self.store, clock: .system, entropy: .system)
        let database = try DatabaseName(project: "load", database: "(default)")
        self.database = self.store.database(database)
        self.names = try (0..<documents).compactMap { number in
            DocumentName(database: database, path: try ResourcePath(parsing: Array("documents/\(number)".utf8)))
        }
        self.fields = (0..<64).map { number in
            let text = UTF8Text(String(repeating: "x", count: 90) + "\(number)")
            return EncodedFields(encoding: [Value.MapEntry(key: "payload", value: .string(text))])
        }
    }

    var failureCount: Int { self.failures.load(ordering: .relaxed) }

    func subscribeToBeforeImages() -> BeforeImageSubscription {
        self.store.subscribeToBeforeImages(of: self.database)
    }

    @inline(never)
    func commitInline(_ number: Int, on mailbox: Inline) { self.commit(number, on: mailbox) {} }

    /// Returns how often the loops were posted to.
    func commit(_ count: Int, inFlight: Int, loops loopCount: Int) -> Int {
        let loops = (0..<loopCount).map { Loop(number: $0) }
        for loop in loops { loop.start() }
        let next = Atomic<Int>(0)
        let finished = Atomic<Int>(0)
        let done = DispatchSemaphore(value: 0)
        @Sendable func commitNext(on loop: Loop) {
            let number = next.add(1, ordering: .relaxed).oldValue
            guard number < count else { return }
            self.commit(number, on: loop) {
                if finished.add(1, ordering: .relaxed).newValue == count { done.signal() }
                commitNext(on: loop)
            }
        }
        for number in 0..<inFlight {
            let loop = loops[number % loopCount]
            loop.post { commitNext(on: loop) }
        }
        done.wait()
        for loop in loops { loop.stop() }
        return loops.reduce(0) { $0 + $1.postCount }
    }

    private func commit(_ number: Int, on mailbox: any Mailbox, then: @escaping @Sendable () -> Void) {
        let write = Write(
            name: self.names[number &* 7_919 % self.names.count],
            operation: .set(self.fields[(number / self.names.count + number) % self.fields.count])
        )
        self.transactions.commit(
            database: self.database,
            transaction: nil,
            writes: [write],
            reply: Reply(mailbox: mailbox) { result in
                if case .failure = result { self.failures.add(1, ordering: .relaxed) }
                then()
            }
        )
    }
}

extension Store {
    /// On the real disk.
    static func opened(
        durability: Durability,
        directory: String,
        historyBytesMax: Int? = nil,
        clock: Clock = .system
    ) throws -> Store {
        var configuration = Store.Configuration()
        configuration.log.durability = durability
        if let historyBytesMax { configuration.historyBytesMax = historyBytesMax }
        return try Store.open(
            configuration: configuration,
            disk: RealDisk(),
            directory: directory,
            clock: clock,
            entropy: .system
        )
    }
}
