import BrasaDocuments
import BrasaQueries

/// Chooses how a query is answered with the indexes that are there, and knows which ones it would like to have. An object,
/// since every run of the query has it.
final class Planner: Sendable {
    let query: Query
    let database: DatabaseHandle
    private let store: Store
    /// Results may come in any order.
    let isAnyOrder: Bool
    let shapes: [ConjunctionShape]

    /// What is known of a query before it is planned, since it was of one like it.
    struct Known: Sendable {
        let layouts: [ConjunctionLayout]
        let choices: [IndexChoice]
    }

    init(
        _ query: Query,
        in database: DatabaseHandle,
        of store: Store,
        isAnyOrder: Bool,
        layouts: [ConjunctionLayout]? = nil
    ) {
        self.query = query
        self.database = database
        self.store = store
        self.isAnyOrder = isAnyOrder
        var shapes: [ConjunctionShape] = []
        for (number, conjunction) in query.disjunctions.enumerated() {
            let layout = layouts?[number] ?? ConjunctionLayout(conjunction, of: query)
            shapes.append(ConjunctionShape(conjunction, of: query, layout))
        }
        self.shapes = shapes
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

    /// Which indexes there are for each of the conjunctions.
    var known: Known {
        Known(layouts: self.shapes.map(\.layout), choices: self.shapes.map { self.choice($0) })
    }

    /// `resume` is the key of the last result already given out. The indexes are looked for unless they are known.
    func plan(resume: OrderPreservingKey?, _ known: Known? = nil) -> QueryPlan {
        if self.shapes.isEmpty || self.query.names.isEmpty { return .nothing }
        if self.isOnNames { return .names(isExact: true) }
        if self.isPinned { return .names(isExact: false) }
        if let runs = self.runs(resume: resume, known) {
            if runs.isEmpty { return .nothing }
            let isByOrderKey =
                runs.count > 1 && (self.shapes.contains { $0.pinned != nil || $0.hasConstants })
            return .merge(runs, isByOrderKey: isByOrderKey)
        }
        return self.isInNameOrder ? .names(isExact: false) : .sort
    }

    /// Nil when no index helps with one of the conjunctions.
    private func runs(resume: OrderPreservingKey?, _ known: Known?) -> [QueryPlan.Run]? {
        let resume = resume.map { KeyBound(prefix: $0.bytes, isAfter: true) }
        var runs: [QueryPlan.Run] = []
        for (number, shape) in self.shapes.enumerated() {
            if let path = shape.pinned {
                runs.append(.document(path))
                continue
            }
            let suffixes = shape.suffixes(start: self.query.start, end: self.query.end, resume: resume)
            if suffixes.intervals.isEmpty { continue }
            let choice = known?.choices[number] ?? self.choice(shape)
            guard let run = self.run(shape, suffixes, choice) else { return nil }
            runs.append(.indexes(run))
        }
        return runs
    }

    private func run(
        _ shape: ConjunctionShape,
        _ suffixes: ConjunctionShape.Suffixes,
        _ choice: IndexChoice
    ) -> QueryPlan.IndexRun? {
        guard !choice.accesses.isEmpty else { return nil }
        return QueryPlan.IndexRun(
            accesses: choice.accesses.map { access in
                var prefix = access.index.definition.prefix(parent: self.query.names.parent).bytes
                for part in access.bound { prefix += shape.bound[part].key }
                return QueryPlan.IndexRun.Access(index: access.index, prefix: prefix)
            },
            intervals: suffixes.intervals,
            isReversed: shape.isReversed,
            isExact: suffixes.isExact && choice.isComplete,
            isIdeal: choice.isIdeal
        )
    }

    private func choice(_ shape: ConjunctionShape) -> IndexChoice {
        guard shape.idealDefinition != nil else { return IndexChoice() }
        let parts = Array(shape.bound.indices)
        if let whole = self.access(shape, parts) {
            return IndexChoice(accesses: [whole], isIdeal: true, isComplete: true)
        }
        let known = parts.count > 1 ? parts.compactMap { self.access(shape, [$0]) } : []
        if !known.isEmpty { return IndexChoice(accesses: known, isComplete: known.count == parts.count) }
        // The order alone, without any known part, still spares the sorting.
        guard !shape.sortFields.isEmpty, let access = self.access(shape, []) else { return IndexChoice() }
        return IndexChoice(accesses: [access], isComplete: parts.isEmpty)
    }

    private func access(_ shape: ConjunctionShape, _ parts: [Int]) -> IndexChoice.Access? {
        guard let definition = shape.definition(parts.map { shape.bound[$0] }),
            let index = self.store.readyIndex(definition, in: self.database)
        else { return nil }
        return IndexChoice.Access(index: index, bound: parts)
    }

    /// Asks for the indexes that would make the query cost what it returns.
    func requestIndexes() {
        for definition in self.idealDefinitions { self.store.requestIndex(definition, in: self.database) }
    }

    /// Those indexes.
    var idealDefinitions: [IndexDefinition] {
        self.shapes.compactMap { $0.pinned == nil ? $0.idealDefinition : nil }
    }
}
