import BrasaGRPCDoor
import BrasaHTTP2
import BrasaLog
import BrasaPlatform
import BrasaService
import BrasaStore
import BrasaTransactions
import BrasaTreeDoor
import BrasaTreeJudging
import BrasaTreeSocket
import BrasaTreeWatch
import Logging
import NIOCore

/// Store and transactions over the real disk and clock, with the threads that work for them in the background.
final class Engine: Sendable {
    let store: Store
    let transactions: TransactionManager
    private let treeRules: TreeRuleArchive
    private let watchers = Watchers()
    private let treeDoors = TreeDoors()
    private let treeWatchers = TreeWatchers()
    private let treeSessions = TreeSessionTable()
    private let writeStreams = WriteStreamTable(clock: .system, entropy: .system, archive: .protobuf)
    private let background: BackgroundWork
    /// For how long a start waits for the ends of sessions of before.
    private static let sessionEndsMax: Duration = .seconds(10)

    /// - Throws: `StartError` when the data folder cannot be used.
    /// - Parameters:
    ///   - treeRules: gets the rules of trees that are stored.
    ///   - onFailure: called once, on another thread, when the log failed.
    init(
        _ configuration: ServerConfiguration,
        treeRules: TreeRuleBook = TreeRuleBook(),
        logger: Logger,
        onFailure: @escaping @Sendable (LogError) -> Void
    ) throws {
        Self.announce(configuration, logger: logger)
        var store = Store.Configuration()
        store.log.durability = configuration.durability
        store.shards = configuration.shards
        store.startThreads = min(max(store.startThreads, configuration.threads), Store.Configuration.startThreadsMax)
        // Answers read the version that they are about, however short history is.
        store.history = max(configuration.history, store.historyMin)
        store.indexBytesMax = configuration.indexBytesMax
        store.indexIdle = configuration.indexIdle
        store.memoryBytesMax = configuration.memoryBytesMax
        store.memoryBytesReserved = configuration.connectionBytesMax
        let indexing = BackgroundWork.indexingWorker()
        let (watchers, treeDoors) = (self.watchers, self.treeDoors)
        let treeWatchers = self.treeWatchers
        let writeStreams = self.writeStreams
        do throws(StoreError) {
            self.store = try Store.open(
                configuration: store,
                disk: RealDisk(),
                directory: configuration.dataDirectory,
                clock: .system,
                entropy: .system,
                receiptKeeper: writeStreams,
                onDurable: { _ in
                    watchers.wake()
                    treeDoors.wake()
                    treeWatchers.wake()
                },
                onFailure: onFailure,
                onDiskFull: { Self.report(diskFull: $0, logger: logger) },
                onIndexRequested: { indexing.wake() }
            )
        } catch {
            throw StartError("cannot open \(configuration.dataDirectory): \(error)")
        }
        self.transactions = TransactionManager(store: self.store, clock: .system, entropy: .system)
        self.treeRules = TreeRuleArchive(book: treeRules, store: self.store, transactions: self.transactions)
        for (tree, problem) in self.treeRules.load() {
            logger.error(
                "nobody but administrators gets into a database whose rules cannot be used",
                metadata: ["database": "\(tree)", "error": "\(problem)"]
            )
        }
        self.background = BackgroundWork(
            store: self.store,
            transactions: self.transactions,
            indexing: indexing,
            logger: logger
        )
        self.store.start()
        self.background.start()
    }

    /// What answers the calls on that event loop. Once for each.
    func makeService(on eventLoop: any EventLoop, _ look: any SocketLook, rules: RuleBook) -> FirestoreService {
        let mailbox = EventLoopMailbox(eventLoop, look)
        return FirestoreService(
            store: self.store,
            transactions: self.transactions,
            mailbox: mailbox,
            eventLoop: eventLoop,
            look: look,
            entropy: .system,
            watcher: self.watchers.make(for: self.store, on: eventLoop, mailbox: mailbox),
            writeStreams: self.writeStreams,
            rules: rules
        )
    }

    /// The door to the trees on that event loop. Once for each.
    func makeTreeDoor(on eventLoop: any EventLoop, _ look: any SocketLook) -> TreeDoor {
        self.treeDoors.make(
            for: self.store,
            self.transactions,
            self.treeRules,
            on: eventLoop,
            mailbox: EventLoopMailbox(eventLoop, look)
        )
    }

    /// What answers on that event loop about trees. Once for each.
    func makeTreeSocketDoor(on eventLoop: any EventLoop, _ look: any SocketLook) -> TreeSocketDoor {
        let watcher = self.treeWatchers.make(
            for: self.store,
            self.transactions,
            self.treeRules.book,
            on: eventLoop,
            mailbox: EventLoopMailbox(eventLoop, look)
        )
        return TreeSocketDoor(watcher, self.treeSessions)
    }

    /// Before anybody is let in, and when the rules are there that a server starts with: what sessions of trees left that were
    /// open when the process before ended is written, or, where there is no room or it takes long, goes on being written.
    func endTreeSessionsOfBefore(_ logger: Logger) async {
        let count = self.store.treeWillCount
        guard count > 0 else { return }
        let store = self.store
        let hasEnded = await self.treeWatchers.endSessionsOfBefore(within: Self.sessionEndsMax) { store.isDiskFull }
        if hasEnded {
            logger.info(
                "ended the sessions that were open when the process before ended",
                metadata: ["sessions": "\(count)"]
            )
        } else {
            logger.notice(
                "goes on ending the sessions that were open when the process before ended",
                metadata: ["sessions": "\(count)"]
            )
        }
    }

    func add(to page: inout MetricsPage) {
        page.add(self.store.statistics)
        page.add(self.transactions.statistics)
        page.add(self.watchers.counters)
    }

    /// Promise 1 in the weaker modes is said aloud, so that nobody is surprised after a crash.
    private static func announce(_ configuration: ServerConfiguration, logger: Logger) {
        switch configuration.durability {
        case .fsync: break
        case .os:
            logger.notice("durability os: commits are acknowledged before they are on stable storage")
        case .memory:
            logger.notice("durability memory: nothing is written to disk, and all is lost when the process ends")
        }
    }

    private static func report(diskFull error: LogError?, logger: Logger) {
        if let error {
            logger.error(
                "the disk is full: commits are refused once the log's current file is used up, until there is room",
                metadata: ["error": "\(error)"]
            )
        } else {
            logger.notice("the disk has room again: commits are accepted")
        }
    }

    /// Makes everything appended durable and closes the folder.
    func stop() {
        self.background.stop()
        self.store.stop()
    }
}
