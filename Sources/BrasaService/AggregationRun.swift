import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStore

/// Computes the aggregations of a query in steps of bounded work.
struct AggregationRun {
    private static let chunk = 256

    let run: QueryRun
    private var accumulator: AggregateAccumulator
    private let countsOnly: Bool
    /// When a count needs no more documents than these.
    private let countMax: Int?
    private var counted = 0

    init(_ query: AggregationQuery, _ run: QueryRun) {
        self.run = run
        self.accumulator = AggregateAccumulator(query)
        self.countsOnly = query.countsOnly
        self.countMax = query.countMax
    }

    /// One step; whether there are more.
    mutating func step() throws(Status) -> Bool {
        let rest = self.countMax.map { $0 - self.counted } ?? .max
        guard rest > 0, !self.run.isAtEnd else { return false }
        if self.countsOnly {
            let count = try self.run.count(rest)
            self.counted += count
            self.accumulator.add(count: count)
        } else {
            for found in try self.run.next(Self.chunk) { self.accumulator.add(found.document.fields) }
        }
        return !self.run.isAtEnd
    }

    var result: [RunAggregationQueryResponse.Field] { self.accumulator.fields }
}

extension AggregateAccumulator {
    /// Sorted by alias, as clients' libraries write maps.
    var fields: [RunAggregationQueryResponse.Field] {
        var fields = self.aggregations.map { aggregation in
            RunAggregationQueryResponse.Field(alias: aggregation.alias, value: self.value(of: aggregation))
        }
        if fields.count > 1 { fields.sort { $0.alias < $1.alias } }
        return fields
    }
}
