package import BrasaDocuments
package import BrasaQueries

/// A query as its user asked for it, with the name that a bundle gives it.
package struct BundleQuery: Sendable {
    package let name: UTF8Text
    package let parent: ParentName
    package let query: StructuredQuery
    package let limitType: SyncQuery.LimitType

    /// Refuses what cannot be listened to.
    package init(
        name: UTF8Text,
        query: StructuredQuery,
        parent: ParentName,
        limitType: SyncQuery.LimitType
    ) throws(BundleQueryError) {
        guard query.select == nil, query.offset == 0, query.findNearest == nil else { throw .cannotBeListenedTo }
        do {
            _ = try SyncQuery(query, parent: parent.path, limitType: limitType, database: parent.database)
        } catch {
            throw .invalid(error)
        }
        self.name = name
        self.query = query
        self.parent = parent
        self.limitType = limitType
    }

    /// A StructuredQuery message in JSON, or an object of `structuredQuery` and, if need be, `parent` (the path of a
    /// document below which to look) and `limitType` (`FIRST` or `LAST`).
    package init(name: UTF8Text, json: [UInt8], database: DatabaseName) throws(BundleQueryError) {
        guard let json = JSONValue(json[...]) else { throw .noJSON }
        guard let query = (json["structuredQuery"] ?? json).structuredQuery, !query.from.isEmpty else { throw .noQuery }
        for member: UTF8Text in ["select", "offset", "findNearest"]
        where (json["structuredQuery"] ?? json)[member] != nil {
            throw .cannotBeListenedTo
        }
        guard let parent = Self.parent(json["parent"]?.string ?? "", database) else { throw .noParent }
        let isLast = json["limitType"]?.string == "LAST"
        try self.init(name: name, query: query, parent: parent, limitType: isLast ? .last : .first)
    }

    private static func parent(_ text: String, _ database: DatabaseName) -> ParentName? {
        if let whole = try? ParentName(parsing: Array(text.utf8)) { return whole.database == database ? whole : nil }
        let path = text.isEmpty ? ResourcePath.root : try? ResourcePath(parsing: Array(text.utf8))
        return path.flatMap { ParentName(database: database, path: $0) }
    }

    /// What the server is to be asked for, so that it answers with all results.
    package var asked: StructuredQuery {
        let query = try? SyncQuery(
            self.query,
            parent: self.parent.path,
            limitType: self.limitType,
            database: self.parent.database
        )
        guard case .query(let asked, _)? = query?.target else { return self.query }
        return asked
    }
}

package enum BundleQueryError: Error, Hashable, Sendable, CustomStringConvertible {
    case noJSON
    case noQuery
    case noParent
    case cannotBeListenedTo
    case invalid(QueryError)

    package var description: String {
        switch self {
        case .noJSON: "it is no JSON"
        case .noQuery: "it is no StructuredQuery message that names a collection"
        case .noParent: "\"parent\" is no document of this database"
        case .cannotBeListenedTo: "projections, offsets and vector queries cannot be in a bundle"
        case .invalid(let error): "\(error)"
        }
    }
}
