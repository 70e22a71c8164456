package import BrasaDocuments
package import BrasaQueries

/// What a call asks for, in the terms of rules: one constructor for each way in which calls reach documents.
package enum RuleDemand: Sendable {
    /// `get` of every document: one that is denied denies the call.
    case documents([ResourcePath])
    /// `list` of all that a query could find.
    case listing(RuleTarget, RuleQuery)
    /// `create`, `update` or `delete` of every document that is written, `get` of every one that is verified.
    case commit([RuleWrite])
    /// No rule can allow it. With what callers are told.
    case administrators(String)

    /// ListDocuments: a page has 30 documents when nothing else is asked for. With missing documents it shows what no
    /// rule can be asked about.
    package static func list(
        _ collection: ResourcePath,
        pageSize: Int32,
        order: [(field: UTF8Text, ascends: Bool)] = [],
        showsMissing: Bool = false
    ) -> RuleDemand {
        if showsMissing { return .metadata }
        return .listing(
            .collection(collection),
            RuleQuery(limit: pageSize > 0 ? Int64(pageSize) : 30, order: order)
        )
    }

    /// RunQuery, RunAggregationQuery and a target of Listen: a query as it was asked, and as it was checked. What is made
    /// of the documents found makes no difference.
    package static func query(_ asked: StructuredQuery, _ checked: Query) -> RuleDemand {
        .listing(RuleTarget(checked.names), RuleQuery(asked, checked))
    }

    /// ListCollectionIds.
    package static let metadata = RuleDemand.administrators("Metadata operations require admin authentication.")
    /// BatchWrite.
    package static let batchWrite = RuleDemand.administrators("Batch writes require admin authentication.")
    /// PartitionQuery.
    package static let partitions = RuleDemand.administrators("Partition queries require admin authentication.")
}
