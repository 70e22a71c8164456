package import BrasaDocuments

/// A message without fields.
package struct ListIndexesRequest: Sendable {
    package init() {}
}

package struct ListIndexesResponse: Sendable {
    package var indexes: [IndexMessage]

    package init(indexes: [IndexMessage]) {
        self.indexes = indexes
    }
}

/// `brasa.admin.v1.Index`.
package struct IndexMessage: Hashable, Sendable {
    /// A number that is none of these reads as unspecified.
    package enum Scope: Int32, Hashable, Sendable {
        case unspecified = 0
        case collection = 1
        case collectionGroup = 2
    }

    package enum State: Int32, Hashable, Sendable {
        case unspecified = 0
        case building = 1
        case ready = 2
        case abandoned = 3
        case doesNotFit = 4
    }

    package var database: DatabaseName
    package var collectionID: UTF8Text
    package var scope: Scope
    package var properties: UTF8Text
    package var state: State
    package var entries: Int64
    package var bytes: Int64
    package var uses: Int64
    package var createTime: Timestamp?
    /// Nil when no query has used it yet.
    package var lastUseTime: Timestamp?

    package init(
        database: DatabaseName,
        collectionID: UTF8Text,
        scope: Scope,
        properties: UTF8Text,
        state: State,
        entries: Int64,
        bytes: Int64,
        uses: Int64,
        createTime: Timestamp?,
        lastUseTime: Timestamp?
    ) {
        self.database = database
        self.collectionID = collectionID
        self.scope = scope
        self.properties = properties
        self.state = state
        self.entries = entries
        self.bytes = bytes
        self.uses = uses
        self.createTime = createTime
        self.lastUseTime = lastUseTime
    }
}
