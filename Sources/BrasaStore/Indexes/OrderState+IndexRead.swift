import BrasaDocuments
import BrasaQueries

/// What a visit to an index found, to be sorted out without the lock.
struct IndexVisit: Sendable {
    var entries: [IndexEntry] = []
    /// Indices of entries of documents that had the key once, and may have lost it by the time of the reading.
    var uncertain: [Int] = []
    /// Certain ones that are not among the entries, since they are only counted.
    var count = 0
    /// The last of those, and how many entries come before it, where that is wanted.
    var lastCounted: (entry: IndexEntry, place: Int)?
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
    /// Nil when the index is not there, or must not be read.
    func visit(_ counts: IndexCounts, _ reading: IndexReading) -> IndexVisit? {
        guard let index = self.index(counts), case .complete = index.progress else { return nil }
        var visit = self.walk(index, reading)
        if let (chain, place) = visit.lastChain, let document = chain.document(at: reading.time) {
            visit.lastCounted = (IndexEntry(key: [], path: chain.path, document: document), place)
        }
        return visit
    }

    private func walk(_ index: IndexState, _ reading: IndexReading) -> IndexVisit {
        var visit = IndexVisit()
        if !reading.isCounting { visit.entries.reserveCapacity(min(reading.budget.entries, reading.budget.steps)) }
        var walk = index.walk(from: reading.position, at: reading.time, isDescending: reading.isDescending)
        if walk.hasRuns, visit.canGoOn(reading) {
            visit.takeRuns(&walk, reading)
            return visit
        }
        var last: KeyWalk.Entry?
        while visit.canGoOn(reading) {
            guard let entry = walk.next(), entry.isBefore(reading.end) != reading.isDescending else { return visit }
            last = entry
            visit.take(entry.chain, isSuperseded: entry.isSuperseded, reading) { entry.key }
        }
        guard let last else {
            visit.resume = reading.position
            return visit
        }
        visit.resume = IndexPosition(prefix: last.key, isAfter: !reading.isDescending)
        return visit
    }
}

extension IndexVisit {
    fileprivate func canGoOn(_ reading: IndexReading) -> Bool {
        self.entries.count + self.count < reading.budget.entries && self.examined < reading.budget.steps
            && self.keyBytes < IndexReading.keyBytesMax
    }

    /// A leaf at a time.
    fileprivate mutating func takeRuns(_ walk: inout KeyWalk, _ reading: IndexReading) {
        while true {
            let found = self.entries.count + self.count
            let limit = min(reading.budget.entries - found, reading.budget.steps - self.examined)
            let run = walk.nextRun(limit, to: reading.end)
            guard let first = run.indices.first, let last = run.indices.last else { return }
            var index = reading.isDescending ? last : first
            while true {
                self.take(run.leaf.chains[index], isSuperseded: false, reading) { run.leaf.keys.key(at: index) }
                guard self.canGoOn(reading) else {
                    self.resume = IndexPosition(prefix: run.leaf.keys.key(at: index), isAfter: !reading.isDescending)
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
            if reading.needsPlaces { self.lastChain = (chain, self.entries.count) }
            return
        }
        guard let document = chain.document(at: reading.time) else { return }
        // Of those that are not certain it is needed here.
        let key = reading.needsPlaces || !isCertain ? makeKey() : []
        if !isCertain {
            // The document has the key again, or lost it more than once since.
            if let last = self.entries.last, ByteOrder.equal(last.key, key) { return }
            self.uncertain.append(self.entries.count)
        }
        self.keyBytes += key.count
        self.entries.append(IndexEntry(key: key, path: chain.path, document: document))
    }
}
