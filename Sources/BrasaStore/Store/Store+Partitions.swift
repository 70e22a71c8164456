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
        try database.history.check(time.microseconds)
        let group = NameRange(parent: .root, collectionID: collectionID, allDescendants: true)
        return Partition(of: ScanScope.scopes(of: group), in: database, at: time.microseconds)
    }
}

/// Neighbouring documents in one tree.
struct DocumentRun: Sendable {
    var first: ResourcePath
    var count: Int
}

/// Cuts a collection group, as it was at one time, into equal parts, to the precision of a run: one bounded visit at a
/// time. Costs a look at each name of the group, and at no document.
package struct Partition: Sendable {
    private var runs: [DocumentRun] = []
    private let database: DatabaseHandle
    private let time: Int64
    private var scopes: ArraySlice<ScanScope>
    /// In the first of the scopes.
    private var position: PathPosition?

    /// The hosted service makes no shorter parts.
    private static let documentsMin = 128
    /// Past this each run takes in its neighbour.
    private static let runsMax = 1 << 15

    fileprivate init(of scopes: [ScanScope], in database: DatabaseHandle, at time: Int64) {
        self.database = database
        self.time = time
        self.scopes = scopes[...]
        self.position = scopes.first?.start
    }

    /// One step; whether there are more.
    package mutating func step() -> Bool {
        guard let scope = self.scopes.first else { return false }
        if let from = self.position {
            let part = self.database.order.withLock { $0.runs(scope, from: from, at: self.time) }
            self.add(part.found)
            self.position = part.resume
        }
        if self.position == nil {
            self.scopes.removeFirst()
            self.position = self.scopes.first?.start
        }
        return !self.scopes.isEmpty
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

extension OrderState {
    private static let namesPerRun = 32

    /// The runs of documents in a scope that were there at a time. What lies below a document is passed over.
    func runs(_ scope: ScanScope, from position: PathPosition, at time: Int64) -> ScanPart<[DocumentRun]> {
        var part = ScanPart<[DocumentRun]>(found: [], resume: nil)
        guard let tree = self.tree(scope.tree) else { return part }
        var walk = tree.walk(from: position, at: time)
        while part.steps < ScanBudget.stepsMax {
            guard let (path, chain) = walk.next(), scope.end.isAfter(path) else {
                part.resume = nil
                return part
            }
            part.steps += 1
            if let depth = scope.depth, path.segmentCount > depth {
                let place = PathPosition.afterSubtree(path.prefix(segments: depth))
                part.resume = place
                walk.seek(place)
                continue
            }
            part.resume = .after(path)
            guard chain.isVisible(at: time) else { continue }
            if let last = part.found.last, last.count < Self.namesPerRun {
                part.found[part.found.count - 1].count += 1
            } else {
                part.found.append(DocumentRun(first: path, count: 1))
            }
        }
        return part
    }
}
