import BrasaDocuments
import BrasaQueries

/// What a visit to an index found, to be sorted out without the lock.
struct IndexVisit: Sendable {
    var found: [FoundDocument] = []
    /// The keys by which they were found, where these are wanted.
    var keys: [[UInt8]] = []
    /// Those of them that had their key once, and may have lost it by the time of the reading.
    var uncertain: [(place: Int, key: [UInt8])] = []
    /// Certain ones that are not among `found`, since they are only counted.
    var count = 0
    /// The last of those, and how many of `found` come before it, where that is wanted.
    var lastCounted: (document: FoundDocument, place: Int)?
    var examined = 0
    var resume: IndexPosition?
    fileprivate var keyBytes = 0
    fileprivate var lastChain: (chain: DocumentChain, place: Int)?
}

/// What a visit to an index reads.
struct IndexReading: Sendable {
    /// Where it begins and ends, in the direction of the scan.
    var position: IndexPosition
    var end: IndexPosition
    var time: Int64
    var isDescending: Bool
    /// Whether what is certain is counted, and not listed.
    var isCounting: Bool
    /// Whether the place of what was found is wanted: its keys, or the last that was counted.
    var needsPlaces: Bool
    var budget: ScanBudget

    /// Most bytes of keys that are copied in one visit, about.
    static let keyBytesMax = 256 << 10
}

extension OrderState {
    /// False when the index is not there, or must not be read.
    func visit(_ counts: IndexCounts, _ reading: IndexReading, _ visit: inout IndexVisit) -> Bool {
        guard let index = self.index(counts), case .complete = index.progress else { return false }
        self.walk(index, reading, &visit)
        if let (chain, place) = visit.lastChain, let document = chain.document(at: reading.time) {
            visit.lastCounted = (FoundDocument(path: chain.path, document: document), place)
        }
        return true
    }

    private func walk(_ index: IndexState, _ reading: IndexReading, _ visit: inout IndexVisit) {
        guard visit.canGoOn(reading) else {
            visit.resume = reading.position
            return
        }
        if !reading.isCounting { visit.found.reserveCapacity(min(reading.budget.entries, reading.budget.steps)) }
        if var cursor = index.currentAlone(from: reading.position, at: reading.time) {
            visit.takeRuns(&cursor, reading)
            return
        }
        var walk = index.walk(from: reading.position, at: reading.time, isDescending: reading.isDescending)
        while let entry = walk.next(), entry.isBefore(reading.end) != reading.isDescending {
            visit.take(entry.chain, isSuperseded: entry.isSuperseded, reading) { entry.key }
            guard visit.canGoOn(reading) else {
                visit.resume = IndexPosition(prefix: entry.key, isAfter: !reading.isDescending)
                return
            }
        }
    }
}

extension IndexVisit {
    fileprivate func canGoOn(_ reading: IndexReading) -> Bool {
        self.found.count + self.count < reading.budget.entries && self.examined < reading.budget.steps
            && self.keyBytes < IndexReading.keyBytesMax
    }

    /// A leaf at a time.
    fileprivate mutating func takeRuns(_ cursor: inout IndexTree.Cursor, _ reading: IndexReading) {
        while true {
            let found = self.found.count + self.count
            let limit = min(reading.budget.entries - found, reading.budget.steps - self.examined)
            let run =
                reading.isDescending
                ? cursor.previousRun(limit, notBefore: reading.end) : cursor.nextRun(limit, before: reading.end)
            guard let first = run.indices.first, let last = run.indices.last else { return }
            let isSettled = run.leaf.isSettled(run.indices, at: reading.time)
            if isSettled, reading.isCounting {
                let end = reading.isDescending ? first : last
                self.examined += run.indices.count
                self.count += run.indices.count
                if reading.needsPlaces { self.lastChain = (run.leaf.chains[end], self.found.count) }
                guard self.canGoOn(reading) else {
                    self.resume = IndexPosition(prefix: run.leaf.key(at: end), isAfter: !reading.isDescending)
                    return
                }
                continue
            }
            // Each document lies in three places of memory, seldom in a cache where there are many: all are asked for before
            // the first is waited for.
            if isSettled { for index in run.indices { run.leaf.chains[index].prefetch() } }
            var index = reading.isDescending ? last : first
            while true {
                self.take(run.leaf.chains[index], isSuperseded: false, reading) { run.leaf.key(at: index) }
                guard self.canGoOn(reading) else {
                    self.resume = IndexPosition(prefix: run.leaf.key(at: index), isAfter: !reading.isDescending)
                    return
                }
                if index == (reading.isDescending ? first : last) { break }
                index += reading.isDescending ? -1 : 1
            }
        }
    }

    @inline(__always)
    fileprivate mutating func take(
        _ chain: DocumentChain,
        isSuperseded: Bool,
        _ reading: IndexReading,
        key makeKey: () -> [UInt8]
    ) {
        self.examined += 1
        // The newest version has every key that is not superseded.
        let isCertain = !isSuperseded && chain.time <= reading.time
        if reading.isCounting, isCertain {
            self.count += 1
            if reading.needsPlaces { self.lastChain = (chain, self.found.count) }
            return
        }
        guard let document = chain.document(at: reading.time) else { return }
        // Of those that are not certain it is needed here.
        if reading.needsPlaces || !isCertain {
            let key = makeKey()
            if !isCertain {
                // The document has the key again, or lost it more than once since.
                if let last = self.lastKey(reading), ByteOrder.equal(last, key) { return }
                self.uncertain.append((self.found.count, key))
            }
            self.keyBytes += key.count
            if reading.needsPlaces { self.keys.append(key) }
        }
        self.found.append(FoundDocument(path: chain.path, document: document))
    }

    /// That of the last of `found`. Nil when it was not looked at, since there is nothing uncertain in it.
    private func lastKey(_ reading: IndexReading) -> [UInt8]? {
        if reading.needsPlaces { return self.keys.last }
        guard let last = self.uncertain.last, last.place == self.found.count - 1 else { return nil }
        return last.key
    }
}
