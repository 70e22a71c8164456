import BrasaDocuments

/// How a query is laid out: what it asks of which fields of which collections, and in what order, but for which values and
/// below which document. It holds no value of the query, so it is as small as the names in it.
package struct QueryShape: Sendable {
    private enum Condition: Sendable {
        case equal, arrayContains
        /// The order has the field of the others, where they matter.
        case other

        init(_ condition: Term.Condition) {
            switch condition {
            case .equal: self = .equal
            case .arrayContains: self = .arrayContains
            default: self = .other
            }
        }
    }

    private struct Part: Sendable {
        let path: FieldPath
        let condition: Condition

        func isOf(_ term: Term) -> Bool {
            self.condition == Condition(term.condition) && self.path == term.path
        }
    }

    private let database: DatabaseName
    private let collectionID: UTF8Text?
    private let allDescendants: Bool
    private let isAtRoot: Bool
    private let clauses: [ResultOrder.Clause]
    private let disjunctions: [[Part]]

    package init(_ query: Query) {
        self.database = query.database
        self.collectionID = query.names.collectionID
        self.allDescendants = query.names.allDescendants
        self.isAtRoot = query.names.parent.isRoot
        self.clauses = query.order.clauses
        self.disjunctions = query.disjunctions.map { conjunction in
            conjunction.terms.map { Part(path: $0.path, condition: Condition($0.condition)) }
        }
    }

    package func isOf(_ query: Query) -> Bool {
        let names = query.names
        return self.collectionID == names.collectionID
            && self.allDescendants == names.allDescendants
            && self.isAtRoot == names.parent.isRoot
            && self.clauses == query.order.clauses
            && self.disjunctions.count == query.disjunctions.count
            && zip(self.disjunctions, query.disjunctions).allSatisfy { parts, conjunction in
                parts.count == conjunction.terms.count && zip(parts, conjunction.terms).allSatisfy { $0.isOf($1) }
            }
            && self.database == query.database
    }
}
