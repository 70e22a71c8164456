import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaWire

/// Asks a query through the client stub, before the measurement, and says what came of it.
struct QueryCall {
    let stub: FirestoreClientStub

    /// What came of a call: how much its answer held, and what it cost the server if that was asked for.
    struct Answer {
        var count = 0
        var metrics: ExplainMetrics?
    }

    func ask(
        _ request: QueryWorkload.Request,
        explained: Bool = false,
        finished: @escaping (Result<Answer, GRPCCallResult>) -> Void
    ) {
        var answer = Answer()
        let end = { (result: GRPCCallResult) in
            finished(result.status.code == .ok ? .success(answer) : .failure(result))
        }
        let explain = explained ? ExplainOptions(analyze: true) : nil
        switch request {
        case .query(var request):
            request.explain = explain
            self.stub.runQuery(
                request,
                received: { response in
                    answer.count += response.document == nil ? 0 : 1
                    answer.metrics = response.metrics ?? answer.metrics
                },
                finished: end
            )
        case .count(var request):
            request.explain = explain
            self.stub.runAggregationQuery(
                request,
                received: { response in
                    if case .integer(let count) = response.result?.first?.value { answer.count = Int(count) }
                    answer.metrics = response.metrics ?? answer.metrics
                },
                finished: end
            )
        }
    }
}

extension ExplainMetrics {
    /// Index entries and documents that the server looked at. Nil when it does not say.
    var examined: Int? {
        guard let debug = self.execution?.debug else { return nil }
        let counts = ["index_entries_scanned", "documents_scanned"].map { debug[$0].flatMap(\.count) }
        guard let entries = counts[0], let documents = counts[1] else { return nil }
        return entries + documents
    }
}

extension StructMessage.FieldValue {
    /// A number, which servers also send as text.
    fileprivate var count: Int? {
        switch self {
        case .number(let number): Int(exactly: number)
        case .text(let text): Int(text.string)
        default: nil
        }
    }
}
