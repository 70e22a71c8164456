package import BrasaLog

extension Store {
    package struct Configuration: Sendable {
        package var log: LogConfiguration
        /// Parts per database that can be read and written side by side. May differ from one start to the next.
        package var shards: Int
        /// How many threads read a checkpoint.
        package var startThreads: Int
        /// How far back reads go.
        package var history: Duration
        /// Past this, superseded versions go before their time, oldest first; the newest `historyMin` stay.
        package var historyBytesMax: Int
        package var historyMin: Duration
        /// How many changes `changes(after:)` looks back.
        package var recentChangesMax: Int
        /// How many of the latest commits to trees are remembered one by one, and what they may keep in memory.
        package var recentTreeStepsMax: Int
        package var recentTreeBytesMax: Int
        /// What sessions together may leave to be written at their ends.
        package var treeWillBytesMax: Int
        /// A checkpoint is due when the log since the last is longer than this and than the documents themselves, so that
        /// writing it costs no more than the commits did.
        package var checkpointBytesMin: Int
        /// What all parts of `StoreMemory` together may take; nil: as much as there is. Past it, old versions go before
        /// their time, and commits that add something are refused.
        package var memoryBytesMax: Int?
        /// What of that belongs to others in the process, whether they take it or not.
        package var memoryBytesReserved: Int
        /// An index that no query used for this long is dropped.
        package var indexIdle: Duration
        /// What all indexes together may take: past it the least recently used go, and what does not fit is not built.
        package var indexBytesMax: Int
        /// What an index counts as of that, however little it takes: so many can be there.
        package var indexBytesMin: Int
        /// How many of them collections with one id in one database may have, since their commits keep all of these.
        package var collectionIndexesMax: Int
        /// How long an index rests before a build may take its room though it was used before, and before one that found
        /// none is tried again for the first time.
        package var indexRetry: Duration
        /// Results that a query sorts in memory at a time while there is no index for its order.
        package var sortedMax: Int
        /// Index entries and documents that one call of a query's scan looks at, about.
        package var queryStepMax: Int

        /// A chunk of a checkpoint is read in about so many parts.
        package static let startThreadsMax = 16

        package init(
            log: LogConfiguration = LogConfiguration(),
            shards: Int = 4,
            startThreads: Int = 4,
            history: Duration = .seconds(3600),
            historyBytesMax: Int = 256 << 20,
            historyMin: Duration = .seconds(1),
            recentChangesMax: Int = 1 << 16,
            recentTreeStepsMax: Int = 1 << 14,
            recentTreeBytesMax: Int = 64 << 20,
            treeWillBytesMax: Int = 128 << 20,
            checkpointBytesMin: Int = 64 << 20,
            memoryBytesMax: Int? = nil,
            memoryBytesReserved: Int = 0,
            indexIdle: Duration = .seconds(24 * 3600),
            indexBytesMax: Int = 1 << 30,
            indexBytesMin: Int = 256 << 10,
            collectionIndexesMax: Int = 256,
            indexRetry: Duration = .seconds(600),
            sortedMax: Int = 8192,
            queryStepMax: Int = 1024
        ) {
            self.log = log
            self.shards = min(max(shards, 1), 256)
            self.startThreads = min(max(startThreads, 1), Self.startThreadsMax)
            self.history = history
            self.historyBytesMax = historyBytesMax
            self.historyMin = historyMin
            self.recentChangesMax = recentChangesMax
            self.recentTreeStepsMax = recentTreeStepsMax
            self.recentTreeBytesMax = recentTreeBytesMax
            self.treeWillBytesMax = treeWillBytesMax
            self.checkpointBytesMin = checkpointBytesMin
            self.memoryBytesMax = memoryBytesMax
            self.memoryBytesReserved = memoryBytesReserved
            self.indexIdle = indexIdle
            self.indexBytesMax = indexBytesMax
            self.indexBytesMin = indexBytesMin
            self.collectionIndexesMax = collectionIndexesMax
            self.indexRetry = indexRetry
            self.sortedMax = max(sortedMax, 1)
            self.queryStepMax = max(queryStepMax, 1)
        }
    }
}
