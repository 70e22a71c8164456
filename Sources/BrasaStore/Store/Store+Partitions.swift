package import BrasaDocuments
import BrasaQueries
import Synchronization

extension Store {
    /// Parts the documents of a collection group into runs of about the same length.
    package func partition(
        collectionID: UTF8Text,
        in database: DatabaseHandle,
        at time: Timestamp
    ) throws(StoreError) -> Partition {
        try self.documents.history.check(time.microseconds)
        let group = NameRange(parent: .root, collectionID: collectionID, allDescendants: true)
        return Partition(of: ScanScope.scopes(of: group), in: database)
    }
}

/// Neighbouring documents in one tree.
struct DocumentRun: Sendable {
    var first: ResourcePath
    var count: Int
}

/// Cuts what the trees of a collection group hold into equal parts, to the precision of a run: one bounded visit to a shard
/// at a time. Costs a look at each name of the group, and at no document; what was committed while it goes on may count.
package struct Partition: Sendable {
    private var runs: [DocumentRun] = []
    private var trees: ArraySlice<(shard: Shard, scope: ScanScope)>
    /// In the first of the trees.
    private var position: PathPosition?

    /// The hosted service makes no shorter parts.
    private static let documentsMin = 128
    /// Past this each run takes in its neighbour.
    private static let runsMax = 1 << 15

    fileprivate init(of scopes: [ScanScope], in database: DatabaseHandle) {
        self.trees = scopes.flatMap { scope in database.shards.map { (shard: $0, scope: scope) } }[...]
        self.position = self.trees.first?.scope.start
    }

    /// One step; whether there are more.
    package mutating func step() -> Bool {
        guard let (shard, scope) = self.trees.first else { return false }
        if let from = self.position {
            let part = shard.state.withLock { $0.runs(scope, from: from) }
            self.add(part.found)
            self.position = part.resume
        }
        if self.position == nil {
            self.trees.removeFirst()
            self.position = self.trees.first?.scope.start
        }
        return !self.trees.isEmpty
    }

    private mutating func add(_ runs: [DocumentRun]) {
        self.runs += runs
        guard self.runs.count > Self.runsMax else { return }
        self.runs = stride(from: 0, to: self.runs.count, by: 2).map { index in
            let next = index + 1 < self.runs.count ? self.runs[index + 1].count : 0
            return DocumentRun(first: self.runs[index].first, count: self.runs[index].count + next)
        }
    }

    /// At most `wanted` names, ascending, that stand between the parts: fewer for a small group, since short parts are not
    /// worth a query each.
    package func points(_ wanted: Int) -> [ResourcePath] {
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
    private static let runsPerVisit = 64

    /// The runs of documents in a scope that are there now. What lies below a document is passed over.
    func runs(_ scope: ScanScope, from position: PathPosition) -> ScanPart<[DocumentRun]> {
        guard let tree = self.tree(scope.tree) else { return ScanPart(found: [], resume: nil) }
        var part = ScanPart<[DocumentRun]>(found: [], resume: position)
        var cursor = tree.current.cursor(position.isAfter)
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
            part.steps += 1
            part.resume = scope.end.isAfter(last) ? .after(last) : nil
            if part.resume == nil { break }
            guard let depth = scope.depth, last.segmentCount > depth else { continue }
            let place = PathPosition.afterSubtree(last.prefix(segments: depth))
            part.resume = place
            cursor.seek(place.isAfter)
        }
        return part
    }
}
