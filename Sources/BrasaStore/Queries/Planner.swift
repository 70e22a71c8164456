import BrasaDocuments
import BrasaQueries

/// Chooses how a query is answered with the indexes that are there, and knows which ones it would like to have.
struct Planner: Sendable {
    let query: Query
    let database: DatabaseHandle
    private let store: Store
    /// Results may come in any order.
    let isAnyOrder: Bool
    let shapes: [ConjunctionShape]

    init(_ query: Query, in database: DatabaseHandle, of store: Store, isAnyOrder: Bool) {
        self.query = query
        self.database = database
        self.store = store
        self.isAnyOrder = isAnyOrder
        self.shapes = query.disjunctions.map { ConjunctionShape($0, of: query) }
    }

    /// How many results will be taken at most, if that is known.
    var limitHint: Int? { self.query.limit.map { $0.addingReportingOverflow(self.query.offset).partialValue } }

    /// Whether name order is the query's order.
    private var isInNameOrder: Bool { self.isAnyOrder || self.query.order.isByNameAlone }

    /// At most one document can be found by its name.
    private var isPinned: Bool {
        guard let lower = self.query.names.lower, let upper = self.query.names.upper else { return false }
        return lower.path == upper.path
    }

    /// All that the query says of its documents is the range of their names.
    private var isOnNames: Bool {
        guard self.query.order.isByNameAlone, self.shapes.count == 1, let shape = self.shapes.first else {
            return false
        }
        return shape.bound.isEmpty
            && shape.terms.allSatisfy { term in
                switch term.condition {
                case .equal, .range: term.path.isDocumentName
                default: false
                }
            }
    }

    /// `resume` is the key of the last result already given out.
    func plan(resume: OrderPreservingKey?) -> QueryPlan {
        if self.shapes.isEmpty || self.query.names.isEmpty { return .nothing }
        if self.isOnNames { return .names(isExact: true) }
        if self.isPinned { return .names(isExact: false) }
        if let runs = self.runs(resume: resume) {
            if runs.isEmpty { return .nothing }
            let isByOrderKey =
                runs.count > 1 && (self.shapes.contains { $0.pinned != nil || $0.hasConstants })
            return .merge(runs, isByOrderKey: isByOrderKey)
        }
        return self.isInNameOrder ? .names(isExact: false) : .sort
    }

    /// Nil when no index helps with one of the conjunctions.
    private func runs(resume: OrderPreservingKey?) -> [QueryPlan.Run]? {
        let resume = resume.map { KeyBound(prefix: $0.bytes, isAfter: true) }
        var runs: [QueryPlan.Run] = []
        for shape in self.shapes {
            if let path = shape.pinned {
                runs.append(.document(path))
                continue
            }
            let suffixes = shape.suffixes(start: self.query.start, end: self.query.end, resume: resume)
            if suffixes.intervals.isEmpty { continue }
            guard let run = self.run(shape, suffixes) else { return nil }
            runs.append(.indexes(run))
        }
        return runs
    }

    private func run(_ shape: ConjunctionShape, _ suffixes: ConjunctionShape.Suffixes) -> QueryPlan.IndexRun? {
        guard shape.idealDefinition != nil else { return nil }
        var accesses: [QueryPlan.IndexRun.Access] = []
        var isExact = suffixes.isExact
        let whole = self.access(shape, shape.bound)
        if let whole {
            accesses = [whole]
        } else {
            let known = shape.bound.count > 1 ? shape.bound.compactMap { self.access(shape, [$0]) } : []
            accesses = known
            isExact = isExact && known.count == shape.bound.count
            // The order alone, without any known part, still spares the sorting.
            if known.isEmpty, !shape.sortFields.isEmpty, let access = self.access(shape, []) { accesses = [access] }
        }
        guard !accesses.isEmpty else { return nil }
        return QueryPlan.IndexRun(
            accesses: accesses,
            intervals: suffixes.intervals,
            isReversed: shape.isReversed,
            isExact: isExact,
            isIdeal: whole != nil
        )
    }

    private func access(
        _ shape: ConjunctionShape,
        _ bound: [ConjunctionShape.BoundPart]
    ) -> QueryPlan.IndexRun.Access? {
        guard let definition = shape.definition(bound), let index = self.store.readyIndex(definition, in: self.database)
        else { return nil }
        let prefix = definition.prefix(parent: self.query.names.parent).bytes + bound.flatMap(\.key)
        return QueryPlan.IndexRun.Access(index: index, prefix: prefix)
    }

    /// Asks for the indexes that would make the query cost what it returns.
    func requestIndexes() {
        for shape in self.shapes where shape.pinned == nil {
            guard let definition = shape.idealDefinition else { continue }
            self.store.requestIndex(definition, in: self.database)
        }
    }
}
