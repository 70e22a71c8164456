internal import BrasaTree
internal import Foundation

/// A place in a database and a question about its children: their order, a range in it, and how many from one end. A
/// ``DatabaseReference`` is a query of everything.
///
/// Queries do not change: each method gives another one. What does not fit together (a second order, a limit of nothing)
/// is told when the query is used.
// @unchecked: all that it has is constant; the compiler asks for it because references inherit from it.
public class DatabaseQuery: @unchecked Sendable {
    public final let database: Database
    final let place: DatabasePlace
    final let definition: QueryDefinition

    init(_ database: Database, _ place: DatabasePlace, _ definition: QueryDefinition = QueryDefinition()) {
        (self.database, self.place, self.definition) = (database, place, definition)
    }

    /// The place without the question.
    public final var ref: DatabaseReference { DatabaseReference(self.database, self.place) }

    private func with(_ definition: QueryDefinition) -> DatabaseQuery {
        DatabaseQuery(self.database, self.place, definition)
    }

    // MARK: Order

    /// By the value at a key, or path, of each child.
    public final func queryOrdered(byChild key: String) -> DatabaseQuery {
        guard let path = try? TreePath(key), !path.isRoot else {
            return self.with(self.definition.failing("Invalid path '\(key)' for an order."))
        }
        return self.with(self.definition.ordered(.child(path)))
    }

    public final func queryOrderedByKey() -> DatabaseQuery { self.with(self.definition.ordered(.key)) }

    public final func queryOrderedByValue() -> DatabaseQuery { self.with(self.definition.ordered(.value)) }

    /// This is the order of queries that name none.
    public final func queryOrderedByPriority() -> DatabaseQuery { self.with(self.definition.ordered(.priority)) }

    // MARK: Range

    /// From this value on; with `childKey`, of children with this value from that key on.
    public final func queryStarting(atValue startValue: Any?, childKey: String? = nil) -> DatabaseQuery {
        self.bounded(startValue, childKey, isInclusive: true) { $0.starting($1) }
    }

    /// Behind this value; with `childKey`, of children with this value behind that key.
    public final func queryStarting(afterValue startAfterValue: Any?, childKey: String? = nil) -> DatabaseQuery {
        self.bounded(startAfterValue, childKey, isInclusive: false) { $0.starting($1) }
    }

    /// Up to this value; with `childKey`, of children with this value up to that key.
    public final func queryEnding(atValue endValue: Any?, childKey: String? = nil) -> DatabaseQuery {
        self.bounded(endValue, childKey, isInclusive: true) { $0.ending($1) }
    }

    /// Before this value; with `childKey`, of children with this value before that key.
    public final func queryEnding(beforeValue endValue: Any?, childKey: String? = nil) -> DatabaseQuery {
        self.bounded(endValue, childKey, isInclusive: false) { $0.ending($1) }
    }

    /// This value only; with `childKey`, that child if it has this value.
    public final func queryEqual(toValue value: Any?, childKey: String? = nil) -> DatabaseQuery {
        self.bounded(value, childKey, isInclusive: true) { $0.starting($1).ending($1) }
    }

    private func bounded(
        _ value: Any?,
        _ key: String?,
        isInclusive: Bool,
        _ change: (QueryDefinition, QueryDefinition.Bound) -> QueryDefinition
    ) -> DatabaseQuery {
        do throws(DatabaseFault) {
            let value = try ValueReader.indexValue(value)
            if let key { _ = try TreeError.faulting { () throws(TreeError) in try TreeKey(key) } }
            let bound = QueryDefinition.Bound(value: value, key: key, isInclusive: isInclusive)
            return self.with(change(self.definition, bound))
        } catch {
            return self.with(self.definition.failing(error.message))
        }
    }

    // MARK: Limit

    /// The first so many, at least one.
    public final func queryLimited(toFirst limit: UInt) -> DatabaseQuery {
        self.with(self.definition.limited(limit, .first))
    }

    /// The last so many, at least one.
    public final func queryLimited(toLast limit: UInt) -> DatabaseQuery {
        self.with(self.definition.limited(limit, .last))
    }
}

extension DatabaseQuery: Hashable {
    public static func == (left: DatabaseQuery, right: DatabaseQuery) -> Bool {
        left.database === right.database && left.place == right.place && left.definition == right.definition
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self.database))
        hasher.combine(self.place)
        hasher.combine(self.definition)
    }
}
