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

        func wasMade(_ function: AccessFunction) -> Bool { function.givesDocument ? self.wasGot : self.wasSought }

        mutating func make(_ function: AccessFunction) {
            if function.givesDocument { self.wasGot = true } else { self.wasSought = true }
        }
    }

    private let limits: Limits
    /// Documents of the state before the request.
    private var asked = PathTable<Access>()
    /// What is written as the request leaves it; nil where nobody has asked.
    private var written = PathTable<RuleLookup?>()
    /// The document that is judged, which is free.
    var subject: ResourcePath?
    private var countOfOperation = 0
    /// Calls that counted, of all operations.
    package private(set) var count = 0

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// `written` has the documents that the request writes, each once.
    package init(_ limits: Limits, written: some Sequence<ResourcePath>) {
        self.limits = limits
        for path in written { self.written.append(path, nil) }
    }

    /// Documents of the state before the request that were asked for, in the order of their first mention.
    package var reads: [ResourcePath] {
        self.asked.entries.compactMap { $0.value.lookup == nil ? nil : $0.path }
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
        let isKnown = self.asked.entries[place].value.wasMade(function)
        if !isKnown, path != self.subject {
            guard self.countOfOperation < self.limits.operation else {
                throw self.failure(function, path, .limitOfOperation)
            }
            guard self.count < self.limits.request else { throw self.failure(function, path, .limitOfRequest) }
            self.countOfOperation += 1
            self.count += 1
        }
        self.asked.entries[place].value.make(function)
        return self.document(at: place, in: documents)
    }

    /// A document of the state before or after the request, asked for once.
    mutating func document(_ path: ResourcePath, after: Bool, in documents: any RuleDocuments) -> RuleLookup {
        if after, let place = self.written.place(of: path) { return self.future(at: place, in: documents) }
        return self.document(at: self.place(of: path), in: documents)
    }

    private mutating func document(at place: Int, in documents: any RuleDocuments) -> RuleLookup {
        if let known = self.asked.entries[place].value.lookup { return known }
        let lookup = documents.document(self.asked.entries[place].path, after: false)
        self.asked.entries[place].value.lookup = lookup
        return lookup
    }

    private mutating func future(at place: Int, in documents: any RuleDocuments) -> RuleLookup {
        if let known = self.written.entries[place].value { return known }
        let lookup = documents.document(self.written.entries[place].path, after: true)
        self.written.entries[place].value = lookup
        return lookup
    }

    private mutating func place(of path: ResourcePath) -> Int {
        self.asked.place(of: path) ?? self.asked.append(path, Access())
    }

    private func failure(
        _ function: AccessFunction,
        _ path: ResourcePath,
        _ failure: EvaluationError.AccessFailure
    ) -> EvaluationError {
        .serviceCall(function: function.rawValue, argument: path.string, failure)
    }
}
