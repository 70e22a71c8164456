import BrasaDocuments
import BrasaQueries
import BrasaStore

/// What a query without a window shows otherwise at one state than at an earlier one. It is found out once for all targets
/// that come back from the one to the other at the time, piece by piece, by whichever of them has been told all that was
/// found so far.
///
/// It keeps a bounded part of what was found. Who is farther behind goes its way alone.
final class Difference {
    struct Found {
        let path: ResourcePath
        let isMember: Bool
    }

    private enum Stage {
        case start
        /// Documents that may have changed.
        case candidates([ResourcePath], Int)
        /// What of the goal's state is not in the base's.
        case arrived(ResultReader)
        /// What of the base's state is not in the goal's.
        case left(ResultReader)
        case complete
    }

    private enum Count {
        case unknown
        case running(ResultReader, Int)
        case known(Int)
    }

    let base: Base
    let goal: Base
    private let view: View
    private unowned let watcher: Watcher
    private let memory: ViewMemory
    private let query: Query
    private var found: [Found] = []
    /// How many were found before those, and are no longer kept.
    private var forgotten = 0
    /// How many more results the goal has than the base; known at the end.
    private(set) var gain = 0
    private var stage = Stage.start
    private var count = Count.unknown

    private static let changesMax = 2_048

    init(of query: Query, in view: View, from base: Base, to goal: Base, _ watcher: Watcher) {
        self.query = query
        self.view = view
        self.base = base
        self.goal = goal
        self.watcher = watcher
        self.memory = watcher.memory
    }

    deinit { self.memory.foundCount -= self.found.count }

    /// Whether everything that was found is there, for one who begins.
    var isWhole: Bool { self.forgotten == 0 }
    var isComplete: Bool { if case .complete = self.stage { true } else { false } }
    /// How many have been found, kept or not.
    var foundCount: Int { self.forgotten + self.found.count }

    /// Nil when it is not kept any more. There are more than `index`.
    func item(_ index: Int) -> Found? {
        index >= self.forgotten ? self.found[index - self.forgotten] : nil
    }

    /// Does a piece.
    func advance() throws(StoreError) {
        switch self.stage {
        case .start: try self.start()
        case .candidates(let paths, let index): try self.candidate(paths, index)
        case .arrived(let results): try self.arrived(results)
        case .left(let results): try self.left(results)
        case .complete: break
        }
    }

    /// How many results there are at the goal; nil when there is more to do first, of which a piece was done.
    func countResults() throws(StoreError) -> Int? {
        switch self.count {
        case .known(let count): return count
        case .unknown: self.count = .running(try self.scan(at: self.goal), 0)
        case .running(var results, let count):
            let count = count + (try results.skip(&self.watcher.turn.readsLeft))
            self.count = results.isAtEnd ? .known(count) : .running(results, count)
        }
        return nil
    }

    private func start() throws(StoreError) {
        if let paths = self.candidates() {
            self.stage = .candidates(paths, 0)
        } else {
            self.stage = .arrived(try self.scan(at: self.goal))
        }
    }

    /// Documents of the query's scope that changed since, from the view or from the store; nil when neither knows all, or
    /// they are so many that a look at the documents themselves may be cheaper.
    private func candidates() -> [ResourcePath]? {
        if let paths = self.watcher.recentPaths(of: self.view, since: self.base) { return paths }
        let known = self.watcher.store.changes(after: self.base.time, in: self.view.database, limit: Self.changesMax)
        guard let changes = known,
            changes.count < Self.changesMax || changes.last.map({ $0.time >= self.goal.time }) ?? true
        else { return nil }
        self.watcher.turn.readsLeft -= changes.count / 8
        var seen: Set<ResourcePath> = []
        return changes.compactMap { change in
            guard self.query.names.contains(change.path) else { return nil }
            return seen.insert(change.path).inserted ? change.path : nil
        }
    }

    private func candidate(_ paths: [ResourcePath], _ index: Int) throws(StoreError) {
        guard index < paths.count else { return self.stage = .complete }
        let path = paths[index]
        let before = try self.document(path, at: self.base)
        let after = try self.document(path, at: self.goal)
        // Only now: nobody else on this way may pass over what could not be read.
        self.stage = .candidates(paths, index + 1)
        if before?.updateTime == after?.updateTime { return }
        let was = self.view.matches(path, before)
        let isMember = self.view.matches(path, after)
        self.gain += (isMember ? 1 : 0) - (was ? 1 : 0)
        if was || isMember { self.append(path, isMember: isMember) }
    }

    private func arrived(_ results: ResultReader) throws(StoreError) {
        var results = results
        if let entry = try results.next(&self.watcher.turn.readsLeft), entry.document.updateTime > self.base.time {
            let before = try self.document(entry.path, at: self.base)
            if !self.view.matches(entry.path, before) { self.gain += 1 }
            self.append(entry.path, isMember: true)
        }
        self.stage = results.isAtEnd ? .left(try self.scan(at: self.base)) : .arrived(results)
    }

    private func left(_ results: ResultReader) throws(StoreError) {
        var results = results
        if let entry = try results.next(&self.watcher.turn.readsLeft) {
            let after = try self.document(entry.path, at: self.goal)
            if !self.view.matches(entry.path, after) {
                self.gain -= 1
                self.append(entry.path, isMember: false)
            }
        }
        self.stage = results.isAtEnd ? .complete : .left(results)
    }

    private func append(_ path: ResourcePath, isMember: Bool) {
        let configuration = self.watcher.configuration
        let (countMax, allMax) = (configuration.wayDocumentsMax, configuration.waysDocumentsMax)
        if self.found.count >= countMax || self.memory.foundCount >= allMax {
            self.forgotten += self.found.count
            self.memory.foundCount -= self.found.count
            self.found = []
        }
        self.found.append(Found(path: path, isMember: isMember))
        self.memory.foundCount += 1
    }

    private func document(_ path: ResourcePath, at base: Base) throws(StoreError) -> Document? {
        self.watcher.turn.readsLeft -= 1
        return try self.watcher.store.get(path, in: self.view.database, at: base.time)
    }

    private func scan(at base: Base) throws(StoreError) -> ResultReader {
        ResultReader(
            try self.watcher.store.query(self.query, in: self.view.database, at: base.time, isAnyOrder: true)
        )
    }
}

extension Passage {
    /// The way that others go, or went in this turn, or a new one.
    func difference(of query: Query, since base: Base) -> Stage {
        if let known = self.view.difference, known.isWhole, known.base.time == base.time,
            known.goal.time == self.goal.time
        {
            return .difference(known, 0)
        }
        let difference = Difference(of: query, in: self.view, from: base, to: self.goal, self.watcher)
        self.view.difference = difference
        self.watcher.turn.keep(difference)
        return .difference(difference, 0)
    }

    /// Says what is known of the difference, or finds out more of it.
    func follow(_ difference: Difference, _ index: Int) throws(StoreError) -> Stage {
        guard index < difference.foundCount else {
            guard difference.isComplete else {
                do throws(StoreError) {
                    try difference.advance()
                } catch {
                    if self.view.difference === difference { self.view.difference = nil }
                    throw error
                }
                return .difference(difference, index)
            }
            self.gain = difference.gain
            return self.isCounting ? .counting(difference) : .ended
        }
        guard let found = difference.item(index) else { return .difference(self.alone(like: difference), 0) }
        let document = try self.document(found.path, at: self.goal)
        self.tell(found.path, document, isMember: found.isMember)
        return .difference(difference, index + 1)
    }

    /// What was told already is told again.
    private func alone(like other: Difference) -> Difference {
        guard case .query(let query) = self.view.selection else { return other }
        return Difference(of: query, in: self.view, from: other.base, to: other.goal, self.watcher)
    }

    func count(_ difference: Difference) throws(StoreError) -> Stage {
        guard let count = try difference.countResults() else { return .counting(difference) }
        guard self.isFilterDue(count) else { return .ended }
        guard case .query(let query) = self.view.selection, let filter = BloomFilter(count: count) else {
            return self.tell(count, nil)
        }
        return .naming(try self.scan(query, at: self.goal), filter, count: count)
    }
}
