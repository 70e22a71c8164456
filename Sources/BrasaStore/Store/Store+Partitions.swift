package import BrasaDocuments
import BrasaQueries
import Synchronization

extension Store {
    /// At most `count` names, ascending, that part the documents of a collection group into runs of about the same length:
    /// fewer for a small group, since short runs are not worth a query each. Costs a look at each node of the group's trees,
    /// and no document.
    package func partitionPoints(
        collectionID: UTF8Text,
        count: Int,
        in database: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> [ResourcePath] {
        let group = NameRange(parent: .root, collectionID: collectionID, allDescendants: true)
        var partition = Partition()
        for scope in ScanScope.scopes(of: group) {
            for shard in database.shards {
                var position: PathPosition? = scope.start
                while let from = position {
                    let part = shard.state.withLock { $0.runs(scope, from: from) }
                    partition.add(part.found)
                    position = part.resume
                }
            }
        }
        try self.documents.history.check(time.microseconds)
        return partition.points(count)
    }
}

/// Neighbouring documents in one tree.
struct DocumentRun: Sendable {
    var first: ResourcePath
    var count: Int
}

/// Cuts what all trees hold into equal parts, to the precision of a run.
private struct Partition {
    private var runs: [DocumentRun] = []

    /// The hosted service makes no shorter parts.
    private static let documentsMin = 128
    /// Past this each run takes in its neighbour.
    private static let runsMax = 1 << 15

    mutating func add(_ runs: [DocumentRun]) {
        self.runs += runs
        guard self.runs.count > Self.runsMax else { return }
        self.runs = stride(from: 0, to: self.runs.count, by: 2).map { index in
            let next = index + 1 < self.runs.count ? self.runs[index + 1].count : 0
            return DocumentRun(first: self.runs[index].first, count: self.runs[index].count + next)
        }
    }

    func points(_ wanted: Int) -> [ResourcePath] {
        let total = self.runs.reduce(0) { $0 + $1.count }
        let parts = min(wanted, total / Self.documentsMin) + 1
        guard parts > 1 else { return [] }
        var points: [ResourcePath] = []
        var before = 0
        for run in self.runs.sorted(by: { $0.first < $1.first }) {
            if before * parts >= total * (points.count + 1), points.last != run.first { points.append(run.first) }
            if points.count == parts - 1 { break }
            before += run.count
        }
        return points
    }
}

extension ShardState {
    private static let runsPerVisit = 256

    /// The runs of documents in a scope, whatever versions they have.
    fileprivate func runs(_ scope: ScanScope, from position: PathPosition) -> ScanPart<[DocumentRun]> {
        guard let tree = self.tree(scope.tree) else { return ScanPart(found: [], resume: nil) }
        var part = ScanPart<[DocumentRun]>(found: [], resume: position)
        var cursor = tree.cursor(position.isAfter)
        for _ in 0..<Self.runsPerVisit {
            guard let run = cursor.nextRun(), let last = run.last else {
                part.resume = nil
                break
            }
            var found: DocumentRun?
            for path in run where scope.depth.map({ path.segmentCount == $0 }) ?? true {
                guard scope.end.isAfter(path) else { break }
                found = DocumentRun(first: found?.first ?? path, count: (found?.count ?? 0) + 1)
            }
            if let found { part.found.append(found) }
            part.resume = scope.end.isAfter(last) ? .after(last) : nil
            if part.resume == nil { break }
        }
        return part
    }
}
