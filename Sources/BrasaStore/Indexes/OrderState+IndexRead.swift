import BrasaDocuments
import BrasaQueries

/// What a visit to an index found, to be sorted out without the lock.
struct IndexVisit: Sendable {
    var entries: [IndexEntry] = []
    /// Indices of entries of documents that had the key once, and may have lost it by the time of the reading.
    var uncertain: [Int] = []
    /// Certain ones that are not among the entries, since they are only counted.
    var count = 0
    var examined = 0
    var resume: IndexPosition?
    fileprivate var keyBytes = 0
}

/// What a visit to an index reads.
struct IndexReading: Sendable {
    /// Where it begins and ends, in the direction of the scan.
    var position: IndexPosition
    var end: IndexPosition
    var time: Int64
    var isDescending: Bool
    var isCounting: Bool
    var budget: ScanBudget

    /// Most bytes of keys that are copied in one visit, about.
    static let keyBytesMax = 256 << 10
}

extension OrderState {
    /// Nil when the index is not there, or must not be read.
    func visit(_ counts: IndexCounts, _ reading: IndexReading) -> IndexVisit? {
        guard let index = self.index(counts), case .complete = index.progress else { return nil }
        var visit = IndexVisit()
        var walk = index.walk(from: reading.position, at: reading.time, isDescending: reading.isDescending)
        var last: KeyWalk.Entry?
        while visit.entries.count + visit.count < reading.budget.entries, visit.examined < reading.budget.steps,
            visit.keyBytes < IndexReading.keyBytesMax
        {
            guard let entry = walk.next(), entry.isBefore(reading.end) != reading.isDescending else { return visit }
            last = entry
            visit.take(entry, reading)
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
    fileprivate mutating func take(_ entry: KeyWalk.Entry, _ reading: IndexReading) {
        self.examined += 1
        let chain = entry.chain
        // The newest version has every key that is not superseded.
        let isCertain = !entry.isSuperseded && chain.time <= reading.time
        if reading.isCounting, isCertain {
            self.count += 1
            return
        }
        guard let document = chain.document(at: reading.time) else { return }
        let key = entry.key
        if !isCertain {
            // The document has the key again, or lost it more than once since.
            if let last = self.entries.last, ByteOrder.equal(last.key, key) { return }
            self.uncertain.append(self.entries.count)
        }
        self.keyBytes += key.count
        self.entries.append(IndexEntry(key: key, path: chain.path, document: document))
    }
}
