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

    private struct Call: Hashable, Sendable {
        var path: ResourcePath
        var isAfter: Bool
        var givesDocument: Bool
    }

    private struct State: Hashable, Sendable {
        var path: ResourcePath
        var isAfter: Bool
    }

    private let limits: Limits
    private let written: Set<ResourcePath>
    /// Calls that were made: made again they do not count.
    private var calls: Set<Call> = []
    private var documents: [State: RuleLookup] = [:]
    /// Documents of the state before the request that were asked for, in that order.
    package private(set) var reads: [ResourcePath] = []
    /// The document that is judged, which is free.
    var subject: ResourcePath?
    private var countOfOperation = 0
    /// Calls that counted, of all operations.
    package private(set) var count = 0

    /// `written` has the documents that the request writes.
    package init(_ limits: Limits, written: Set<ResourcePath> = []) {
        self.limits = limits
        self.written = written
    }

    /// Begins with the next document of the request; nil for a query.
    mutating func begin(_ subject: ResourcePath?) {
        self.subject = subject
        self.countOfOperation = 0
    }

    mutating func look(
        up path: ResourcePath,
        _ function: AccessFunction,
        in documents: some RuleDocuments,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleLookup {
        try work.spend(Work.access)
        let isAfter = function.isAfter && self.written.contains(path)
        let call = Call(path: path, isAfter: isAfter, givesDocument: function.givesDocument)
        if !isAfter, path != self.subject, !self.calls.contains(call) {
            guard self.countOfOperation < self.limits.operation else {
                throw self.failure(function, path, .limitOfOperation)
            }
            guard self.count < self.limits.request else { throw self.failure(function, path, .limitOfRequest) }
            self.countOfOperation += 1
            self.count += 1
        }
        self.calls.insert(call)
        return self.document(path, after: isAfter, in: documents)
    }

    /// A document of the state before or after the request, asked for once.
    mutating func document(_ path: ResourcePath, after: Bool, in documents: some RuleDocuments) -> RuleLookup {
        let isAfter = after && self.written.contains(path)
        let state = State(path: path, isAfter: isAfter)
        if let known = self.documents[state] { return known }
        let lookup = documents.document(path, after: isAfter)
        self.documents[state] = lookup
        if !isAfter { self.reads.append(path) }
        return lookup
    }

    private func failure(
        _ function: AccessFunction,
        _ path: ResourcePath,
        _ failure: EvaluationError.AccessFailure
    ) -> EvaluationError {
        .serviceCall(function: function.rawValue, argument: path.string, failure)
    }
}
