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

    private struct State: Hashable, Sendable {
        var path: ResourcePath
        var isAfter: Bool
    }

    /// A document of one state, and how it was asked for. Calls that were made do not count again.
    private struct Entry: Sendable {
        let state: State
        var lookup: RuleLookup?
        var wasGot = false
        var wasSought = false
    }

    private let limits: Limits
    private let written: Set<ResourcePath>
    /// In the order of their first mention.
    private var entries: [Entry] = []
    /// Where the entries are, once they are more than are quickly gone through.
    private var places: [State: Int] = [:]
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
        in documents: any RuleDocuments,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleLookup {
        try work.spend(Work.access)
        let isAfter = function.isAfter && self.written.contains(path)
        let place = self.place(of: State(path: path, isAfter: isAfter))
        let entry = self.entries[place]
        if !isAfter, path != self.subject, !(function.givesDocument ? entry.wasGot : entry.wasSought) {
            guard self.countOfOperation < self.limits.operation else {
                throw self.failure(function, path, .limitOfOperation)
            }
            guard self.count < self.limits.request else { throw self.failure(function, path, .limitOfRequest) }
            self.countOfOperation += 1
            self.count += 1
        }
        if function.givesDocument { self.entries[place].wasGot = true } else { self.entries[place].wasSought = true }
        return self.document(at: place, in: documents)
    }

    /// A document of the state before or after the request, asked for once.
    mutating func document(_ path: ResourcePath, after: Bool, in documents: any RuleDocuments) -> RuleLookup {
        let isAfter = after && self.written.contains(path)
        return self.document(at: self.place(of: State(path: path, isAfter: isAfter)), in: documents)
    }

    private mutating func document(at place: Int, in documents: any RuleDocuments) -> RuleLookup {
        let entry = self.entries[place]
        if let known = entry.lookup { return known }
        let lookup = documents.document(entry.state.path, after: entry.state.isAfter)
        self.entries[place].lookup = lookup
        if !entry.state.isAfter { self.reads.append(entry.state.path) }
        return lookup
    }

    private static let unsortedMax = 12

    private mutating func place(of state: State) -> Int {
        if self.places.isEmpty {
            if let place = self.entries.firstIndex(where: { $0.state == state }) { return place }
        } else if let place = self.places[state] {
            return place
        }
        let place = self.entries.count
        self.entries.append(Entry(state: state))
        if !self.places.isEmpty {
            self.places[state] = place
        } else if self.entries.count > Self.unsortedMax {
            for (place, entry) in self.entries.enumerated() { self.places[entry.state] = place }
        }
        return place
    }

    private func failure(
        _ function: AccessFunction,
        _ path: ResourcePath,
        _ failure: EvaluationError.AccessFailure
    ) -> EvaluationError {
        .serviceCall(function: function.rawValue, argument: path.string, failure)
    }
}
