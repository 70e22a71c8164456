import BrasaDocuments
import BrasaMessages
import BrasaStore
import NIOCore

/// Measures one query for its explanation.
struct QueryExplanation {
    private let eventLoop: any EventLoop
    private var busy: TimeAmount = .zero

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Counts the time that a step of the query takes; time in which it waits for its client is not the query's.
    mutating func measure<Result, Failure: Error>(_ step: () throws(Failure) -> Result) throws(Failure) -> Result {
        let start = self.eventLoop.now
        defer { self.busy = self.busy + (self.eventLoop.now - start) }
        return try step()
    }

    /// With what would have been read, had memory room for it: so that who wonders why a query is slow need not guess.
    static func plan(of run: QueryRun) -> [StructMessage] {
        let missing = run.indexesThatDoNotFit.map(\.properties).joined(separator: ", ")
        return run.plan.indexesUsed.map { use in
            var message = StructMessage([
                .init("properties", .text(UTF8Text(use.properties))),
                .init("query_scope", .text(UTF8Text(use.queryScope))),
            ])
            if !missing.isEmpty { message.fields.insert(.init("does_not_fit", .text(UTF8Text(missing))), at: 0) }
            return message
        }
    }

    /// A query reads each document that it returns.
    func metrics(of run: QueryRun) -> ExplainMetrics {
        self.metrics(of: run, results: run.returned, documents: run.returned, entries: 0)
    }

    /// An aggregation reads index entries, which count by the thousand.
    func metrics(ofAggregation run: QueryRun) -> ExplainMetrics {
        self.metrics(of: run, results: 1, documents: 0, entries: run.statistics.indexEntriesScanned)
    }

    private func metrics(of run: QueryRun, results: Int, documents: Int, entries: Int) -> ExplainMetrics {
        let operations = documents + (entries + 999) / 1_000
        let billing = StructMessage([
            .init("documents_billable", Self.text(documents)),
            .init("index_entries_billable", Self.text(entries)),
            .init("min_query_cost", Self.text(operations == 0 ? 1 : 0)),
            .init("small_ops", Self.text(0)),
        ])
        let debug = StructMessage([
            .init("billing_details", .fields(billing)),
            .init("documents_scanned", Self.text(run.statistics.documentsScanned)),
            .init("index_entries_scanned", Self.text(run.statistics.indexEntriesScanned)),
        ])
        let execution = ExecutionStatistics(
            resultsReturned: Int64(results),
            // However coarse the clock is, no time at all it was not.
            duration: .nanoseconds(max(self.busy.nanoseconds, 1_000)),
            readOperations: Int64(max(operations, 1)),
            debug: debug
        )
        return ExplainMetrics(indexesUsed: Self.plan(of: run), execution: execution)
    }

    private static func text(_ number: Int) -> StructMessage.FieldValue {
        .text(UTF8Text(String(number)))
    }
}
