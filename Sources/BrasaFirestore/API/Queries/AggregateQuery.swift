internal import BrasaApp
internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaStatus
internal import BrasaSync
public import Foundation

/// Where aggregates are computed.
public enum AggregateSource: UInt, Sendable {
    case server = 0
}

extension Query {
    /// How many results there are, computed by the server.
    public var count: AggregateQuery { self.aggregate([.count()]) }

    /// What the server computes over the results.
    @discardableResult
    public func aggregate(_ aggregateFields: [AggregateField]) -> AggregateQuery {
        AggregateQuery(query: self, fields: aggregateFields)
    }
}

/// A query for what the server computes over the results of another one. Cache and queued writes play no part in it.
public final class AggregateQuery: Sendable {
    public let query: Query
    let fields: [AggregateField]

    init(query: Query, fields: [AggregateField]) {
        self.query = query
        self.fields = fields
    }

    public func getAggregation(
        source: AggregateSource,
        completion: @escaping (AggregateQuerySnapshot?, (any Error)?) -> Void
    ) {
        let core = trapping { () throws(UsageError) in try self.query.firestore.core() }
        let completion = Handed(completion)
        Task {
            let result = await Result { try await self.snapshot(core) }
            core.tell {
                switch result {
                case .success(let snapshot): completion.value(snapshot, nil)
                case .failure(let error): completion.value(nil, error)
                }
            }
        }
    }

    @discardableResult
    nonisolated(nonsending) public func getAggregation(source: AggregateSource) async throws -> AggregateQuerySnapshot {
        try await self.snapshot(try throwing { () throws(UsageError) in try self.query.firestore.core() })
    }

    private func snapshot(_ core: ClientCore) async throws -> AggregateQuerySnapshot {
        let request = try throwing { () throws(UsageError) in try self.structured() }
        let calls = try core.callsOnline()
        do throws(CallFailure) {
            let values = try await calls.aggregate(request, parent: self.query.definition.parent)
            guard let snapshot = AggregateQuerySnapshot(query: self, values: values) else {
                throw CallFailure(SyncError(.internal, "The server has left out some of what it was asked for."))
            }
            return snapshot
        } catch {
            throw error.error.nsError
        }
    }

    /// Each field once, under its place in the list as its alias.
    func structured() throws(UsageError) -> StructuredAggregationQuery {
        let definition = self.query.definition
        let asked = try definition.structuredForAggregation()
        let query = definition.limitKind == .last ? asked.mirrored : asked
        var seen: Set<AggregateField> = []
        var aggregations: [StructuredAggregationQuery.Aggregation] = []
        for (index, field) in self.fields.enumerated() where seen.insert(field).inserted {
            aggregations.append(.init(try field.structured, alias: Self.alias(index)))
        }
        return StructuredAggregationQuery(query: query, aggregations: aggregations)
    }

    fileprivate static func alias(_ index: Int) -> UTF8Text { UTF8Text("aggregate_\(index)") }
}

extension AggregateQuery: Hashable {
    public static func == (left: AggregateQuery, right: AggregateQuery) -> Bool {
        left.query == right.query && left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.query)
        hasher.combine(self.fields)
    }
}

/// What the server has computed.
public final class AggregateQuerySnapshot: Sendable {
    public let query: AggregateQuery
    private let values: [AggregateField: Value]

    /// Nil when something is missing.
    init?(query: AggregateQuery, values: [(alias: UTF8Text, value: Value)]) {
        self.query = query
        var byField: [AggregateField: Value] = [:]
        for (index, field) in query.fields.enumerated() {
            let value = values.first { $0.alias == AggregateQuery.alias(index) }?.value
            if let value { byField[field] = value }
            guard byField[field] != nil else { return nil }
        }
        self.values = byField
    }

    /// How many results there are. Stops the program when that was not asked for.
    public var count: NSNumber { self.get(.count()) as? NSNumber ?? 0 }

    /// A result; equal fields find the same. Stops the program when the field was not asked for.
    @discardableResult
    public func get(_ aggregateField: AggregateField) -> Any {
        trapping { () throws(UsageError) in
            guard let value = self.values[aggregateField] else {
                throw UsageError("\(aggregateField) was not asked for in the aggregate query.")
            }
            return ValueWriter(firestore: self.query.query.firestore, behavior: .none).any(value)
        }
    }
}
