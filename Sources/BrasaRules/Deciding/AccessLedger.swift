package import BrasaDocuments

/// The documents that the rules of one request have read. Equal calls are made once and count once; the document that an
/// operation is about is free, and so is the future of every document that the request writes.
package struct AccessLedger: Sendable {
    /// How many calls may count.
    package struct Limits: Hashable, Sendable {
        package var operation: Int
        package var request: Int

        package init(operation: Int, request: Int) {
            self.operation = operation
            self.request = request
        }

        /// For one document, and for a query.
        package static let single = Limits(operation: 10, request: 10)
        /// For a transaction, a batch of writes, or several documents read at once.
        package static let several = Limits(operation: 10, request: 20)
    }

    /// How a document of the state before the request was asked for. Calls that were made do not count again.
    private struct Access: Sendable {
        var lookup: RuleLookup?
        var wasGot = false
        var wasSought = false
    }

    private let limits: Limits
    /// Documents of the state before the request, by place.
    private var asked = PathPlaces()
    private var accesses: [Access] = []
    private let written: PathPlaces
    /// What is written as the request leaves it, by place; nil where nobody has asked.
    private var futures: [RuleLookup?]
    /// The document that is judged, which is free.
    var subject: ResourcePath?
    private var countOfOperation = 0
    /// Calls that counted, of all operations.
    package private(set) var count = 0

    /// `written` has the documents that the request writes, each once.
    package init(_ limits: Limits, written: [ResourcePath] = []) {
        self.limits = limits
        self.written = PathPlaces(written)
        self.futures = Array(repeating: nil, count: written.count)
    }

    /// Documents of the state before the request that were asked for, in the order of their first mention.
    package var reads: [ResourcePath] {
        zip(self.asked.paths, self.accesses).compactMap { path, access in access.lookup == nil ? nil : path }
    }

    /// Begins with the next document of the request; nil for a query.
    mutating func begin(_ subject: ResourcePath?) {
        self.subject = subject
        self.countOfOperation = 0
    }

    mutating func look(
        up path: ResourcePath,
        _ function: AccessFunction,
        in documents: any RuleDocuments,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleLookup {
        try work.spend(Work.access)
        if function.isAfter, let place = self.written.place(of: path) { return self.future(at: place, in: documents) }
        let place = self.place(of: path)
        let isKnown = function.givesDocument ? self.accesses[place].wasGot : self.accesses[place].wasSought
        if !isKnown, path != self.subject {
            guard self.countOfOperation < self.limits.operation else {
                throw self.failure(function, path, .limitOfOperation)
            }
            guard self.count < self.limits.request else { throw self.failure(function, path, .limitOfRequest) }
            self.countOfOperation += 1
            self.count += 1
        }
        if function.givesDocument { self.accesses[place].wasGot = true } else { self.accesses[place].wasSought = true }
        return self.document(at: place, in: documents)
    }

    /// A document of the state before or after the request, asked for once.
    mutating func document(_ path: ResourcePath, after: Bool, in documents: any RuleDocuments) -> RuleLookup {
        if after, let place = self.written.place(of: path) { return self.future(at: place, in: documents) }
        return self.document(at: self.place(of: path), in: documents)
    }

    private mutating func document(at place: Int, in documents: any RuleDocuments) -> RuleLookup {
        if let known = self.accesses[place].lookup { return known }
        let lookup = documents.document(self.asked.paths[place], after: false)
        self.accesses[place].lookup = lookup
        return lookup
    }

    private mutating func future(at place: Int, in documents: any RuleDocuments) -> RuleLookup {
        if let known = self.futures[place] { return known }
        let lookup = documents.document(self.written.paths[place], after: true)
        self.futures[place] = lookup
        return lookup
    }

    private mutating func place(of path: ResourcePath) -> Int {
        if let place = self.asked.place(of: path) { return place }
        if self.accesses.isEmpty { self.accesses.reserveCapacity(4) }
        self.asked.append(path)
        self.accesses.append(Access())
        return self.accesses.count - 1
    }

    private func failure(
        _ function: AccessFunction,
        _ path: ResourcePath,
        _ failure: EvaluationError.AccessFailure
    ) -> EvaluationError {
        .serviceCall(function: function.rawValue, argument: path.string, failure)
    }
}
