import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStore

/// Runs a query in steps of bounded work: passes over its offset, then finds the documents up to its limit, or the
/// nearest of them. One object, since it has much to copy and one user at a time.
final class QueryRun {
    /// All of a document: projection is for whoever sends it.
    typealias Found = FoundDocument

    private enum Phase {
        case offset, gathering, gathered, results, ended
    }

    /// How many results are fetched at once.
    static let chunk = 64
    private static let nearestChunk = 256
    /// The nearest documents given out in one step come to about this at most.
    private static let gatheredBytesMax = 1 << 20

    let query: Query
    private(set) var skipped = 0
    /// Results given out or counted.
    private(set) var returned = 0
    private var scan: QueryScan
    private var phase: Phase
    private var nearest: NearestAccumulator?
    /// The nearest documents that were not given out yet.
    private var gathered: ArraySlice<NearestAccumulator.Result> = []
    /// Called with how far the query's order was seen, when its limit ends the results.
    private let onLimit: ((OrderPreservingKey?) -> Void)?

    init(
        _ query: Query,
        _ scan: consuming QueryScan,
        onLimit: ((OrderPreservingKey?) -> Void)? = nil
    ) {
        self.query = query
        self.scan = scan
        self.onLimit = onLimit
        self.nearest = query.nearest.map { NearestAccumulator($0) }
        self.phase =
            if query.limit == 0 {
                .ended
            } else if query.nearest != nil {
                .gathering
            } else {
                query.offset > 0 ? .offset : .results
            }
    }

    var plan: PlanSummary { self.scan.plan }
    var indexesThatDoNotFit: [PlanSummary.IndexUse] { self.scan.indexesThatDoNotFit }
    var statistics: QueryStatistics { self.scan.statistics }
    var isAtEnd: Bool { self.phase == .ended }
    /// Whether the offset was passed over, as far as there were results.
    var hasSkipped: Bool { self.phase != .offset }

    /// One step: results if it found any, at most `limit`. None does not mean that there are no more.
    func next(_ limit: Int = QueryRun.chunk) throws(Status) -> [Found] {
        var entries: [FoundDocument] = []
        do throws(StoreError) {
            switch self.phase {
            case .offset: try self.passOverOffset()
            case .gathering: entries = try self.scan.next(Self.nearestChunk)
            case .gathered: return self.takeGathered(limit)
            case .results: return try self.results(limit)
            case .ended: break
            }
        } catch {
            throw Status(error)
        }
        if self.phase == .gathering { try self.gather(entries) }
        return []
    }

    /// One step that counts results without looking at them, at most `limit`.
    func count(_ limit: Int) throws(Status) -> Int {
        let wanted = min(limit, self.rest)
        // Where it matters how far was seen, the last result is looked at.
        let counted = self.onLimit == nil || wanted == .max ? wanted : wanted - 1
        guard self.phase == .results, counted > 0 else { return try self.next(limit).count }
        do throws(StoreError) {
            let count = try self.scan.skip(counted)
            self.returned += count
            if self.scan.isAtEnd || self.rest == 0 { self.phase = .ended }
            return count
        } catch {
            throw Status(error)
        }
    }

    private var rest: Int { self.query.limit.map { $0 - self.returned } ?? .max }

    private func passOverOffset() throws(StoreError) {
        let rest = self.query.offset - self.skipped
        self.skipped += try self.scan.skip(rest)
        if self.scan.isAtEnd {
            self.phase = .ended
        } else if self.skipped == self.query.offset {
            self.phase = .results
        }
    }

    private func results(_ limit: Int) throws(StoreError) -> [Found] {
        let entries = try self.scan.next(min(limit, self.rest))
        self.returned += entries.count
        if self.rest == 0 {
            self.phase = .ended
            if let onLimit, let last = entries.last {
                onLimit(last.orderKey ?? self.query.order.key(path: last.path, fields: last.document.fields))
            }
        } else if self.scan.isAtEnd {
            self.phase = .ended
        }
        return entries
    }

    // MARK: Nearest neighbours

    private func gather(_ entries: [FoundDocument]) throws(Status) {
        do throws(QueryError) {
            for entry in entries { try self.nearest?.add(path: entry.path, document: entry.document) }
        } catch {
            throw Status(error)
        }
        guard self.scan.isAtEnd, let nearest = self.nearest else { return }
        self.gathered = nearest.results[...]
        self.phase = self.gathered.isEmpty ? .ended : .gathered
    }

    /// The distance is put into a document when it is given out, which means reading all of it.
    private func takeGathered(_ limit: Int) -> [Found] {
        var found: [Found] = []
        var bytes = 0
        while found.count < limit, bytes < Self.gatheredBytesMax, let result = self.gathered.popFirst() {
            let document = self.nearest?.returned(result) ?? result.document
            found.append(Found(path: result.path, document: document))
            bytes += document.fields.bytes.count
        }
        self.returned += found.count
        if self.gathered.isEmpty { self.phase = .ended }
        return found
    }
}
