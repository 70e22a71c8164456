package import BrasaDocuments
package import BrasaMessages
package import BrasaQueries
import BrasaStore

package typealias AskedQuery = AskedRequest<Query>
package typealias AskedAggregation = AskedRequest<AggregationQuery>

/// A query as it was asked for: its request, what checking it came to, and how it was answered last.
///
/// Unchecked, because it belongs to one event loop.
package final class AskedRequest<Checked: ComparingQuery>: @unchecked Sendable {
    let head: RequestHead
    /// Nil: the request has none.
    let checked: Result<Checked?, QueryError>
    /// Nil until it was answered.
    var planned: PlannedQuery?
    /// Of those that differ from this one in values alone, if that is known.
    let prepared: PreparedRequest<Checked>?

    fileprivate init(
        _ head: RequestHead,
        _ checked: Result<Checked?, QueryError>,
        prepared: PreparedRequest<Checked>? = nil
    ) {
        self.head = head
        self.checked = checked
        self.prepared = prepared
    }
}

extension AskedQuery {
    package convenience init(_ request: RunQueryRequest) {
        let head = RequestHead(request.parent, request.query, request.consistency, request.explain)
        let checked = Result { () throws(QueryError) in
            try request.query.map { (query) throws(QueryError) in try Query(query, parent: request.parent) }
        }
        self.init(head, checked)
    }
}

extension AskedAggregation {
    package convenience init(_ request: RunAggregationQueryRequest) {
        let head = RequestHead(request.parent, request.query?.query, request.consistency, request.explain)
        let checked = Result { () throws(QueryError) in
            try request.query.map { (query) throws(QueryError) in try AggregationQuery(query, parent: request.parent) }
        }
        self.init(head, checked)
    }
}

/// What a request says beside the filter of its query.
final class RequestHead: Sendable {
    let database: DatabaseName
    let consistency: ReadConsistency
    /// Nil when no explanation is asked for.
    let explain: ExplainOptions?
    /// The query without its filter.
    let query: StructuredQuery

    init(
        _ parent: ParentName,
        _ query: StructuredQuery?,
        _ consistency: ReadConsistency,
        _ explain: ExplainOptions?
    ) {
        self.database = parent.database
        self.consistency = consistency
        self.explain = explain
        var query = query ?? StructuredQuery()
        query.filter = nil
        self.query = query
    }
}

/// A checked request that others are like, which compare with other values and differ in nothing else: as a prepared
/// statement, it is read, checked and planned once for all of them.
///
/// Unchecked, because it belongs to one event loop.
final class PreparedRequest<Checked: ComparingQuery>: @unchecked Sendable {
    private let head: RequestHead
    private let checked: Checked
    /// How the last of them was answered.
    var planned: PlannedQuery?
    /// A count of one of them was too long for one visit.
    var isRowLong = false

    /// Nil when requests with the same outline need not be like this one.
    init?(_ asked: AskedRequest<Checked>, _ operands: [Value]) {
        guard case .success(let checked?) = asked.checked, checked.comparing(with: operands) != nil else { return nil }
        self.head = asked.head
        self.checked = checked
    }

    /// The request that has these values. Nil: it has to be read to say what it is.
    func asked(with operands: [Value]) -> AskedRequest<Checked>? {
        self.checked.comparing(with: operands).map { AskedRequest(self.head, .success($0), prepared: self) }
    }
}

/// What can be asked again with other values.
package protocol ComparingQuery: Sendable {
    /// As `Query.comparing`.
    func comparing(with operands: [Value]) -> Self?
    /// What says which documents there are.
    var query: Query { get }
}

extension Query: ComparingQuery {
    package var query: Query { self }
}

extension AggregationQuery: ComparingQuery {}
