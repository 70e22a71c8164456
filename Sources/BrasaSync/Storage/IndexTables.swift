package import BrasaDocuments
package import BrasaQueries

/// Indexes on fields of documents as their user sees them, overlays included. The definitions are shared by all users; the
/// entries, and how far they go, are each user's own.
///
/// Entries are behind. As soon as there is an index of a collection id, the storage notes every change of a document with
/// that collection id and of its overlays (set, removed or collected), each under a number greater than all before it, and
/// of a document only the newest. What was noted after an index's entries is to be looked at beside them.
package protocol IndexTables: AnyObject {
    func fieldIndexes() throws(StorageError) -> [FieldIndex]
    func fieldIndexes(ofCollectionID id: UTF8Text) throws(StorageError) -> [FieldIndex]
    /// Under an id that was never used before.
    func addFieldIndex(_ definition: IndexDefinition) throws(StorageError)
    /// With every user's part. The same definition can be added again at once.
    func removeFieldIndex(_ index: FieldIndex) throws(StorageError)

    /// Nil when nothing was done for this user yet.
    func progress(of index: IndexID, for user: SyncUser) throws(StorageError) -> IndexProgress?
    /// An index that is abandoned has no entries any more.
    func setProgress(_ progress: IndexProgress, of index: IndexID, for user: SyncUser) throws(StorageError)
    /// One that is damaged goes as if it had been removed, so that it is begun anew.
    func parts(of index: IndexID) throws(StorageError) -> [IndexPart]
    /// As if nothing had been done for this user.
    func removePart(of index: IndexID, for user: SyncUser) throws(StorageError)

    /// The first entries between two places or, reversed, the last, nearest to that end first.
    func entries(
        of index: IndexID,
        for user: SyncUser,
        in interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) throws(StorageError) -> [FieldIndexEntry]
    /// Replaces a document's entries, and gives how many went and came. No key is another's beginning.
    @discardableResult
    func setKeys(
        _ keys: [IndexKey],
        of path: ResourcePath,
        in index: IndexID,
        for user: SyncUser
    ) throws(StorageError) -> Int

    /// Documents directly in a collection, overlays aside, in the order of their names: the first whose ids, written as
    /// `OrderPreservingKey` does, are between two places or, reversed, the last.
    func documents(
        in collection: ResourcePath,
        named interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) throws(StorageError) -> [SyncDocument]
    /// Documents with this collection id that the cache knows, overlays aside, in some order that stays, behind one of them.
    func documentPaths(
        ofCollectionID id: UTF8Text,
        after path: ResourcePath?,
        limit: Int
    ) throws(StorageError) -> [ResourcePath]
    /// The number of the last change.
    func lastChange() throws(StorageError) -> ChangeNumber
    /// Ascending.
    func changes(
        ofCollectionID id: UTF8Text,
        after number: ChangeNumber,
        limit: Int
    ) throws(StorageError) -> [NotedChange]
    /// Notes the documents that the user has overlays of as if they had changed now.
    func noteOverlays(ofCollectionID id: UTF8Text, of user: SyncUser) throws(StorageError)
    func changeCount(ofCollectionID id: UTF8Text, after number: ChangeNumber) throws(StorageError) -> Int
    /// Of the documents that the cache has, and of the user's overlays.
    func documentCount(ofCollectionID id: UTF8Text, of user: SyncUser) throws(StorageError) -> Int
    /// Frees what nobody reads any more, no more than so much of it: entries of parts that are gone or abandoned, and changes
    /// that no part lacks. Gives how much it was.
    func forget(countMax: Int) throws(StorageError) -> Int
}

package typealias IndexID = Int64

/// Identifies a change of a document; from 1.
package typealias ChangeNumber = Int64

package struct NotedChange: Hashable, Sendable {
    package let number: ChangeNumber
    package let path: ResourcePath

    package init(number: ChangeNumber, path: ResourcePath) {
        self.number = number
        self.path = path
    }
}

package struct FieldIndex: Hashable, Sendable {
    package let id: IndexID
    package let definition: IndexDefinition

    package init(id: IndexID, definition: IndexDefinition) {
        self.id = id
        self.definition = definition
    }
}

package struct FieldIndexEntry: Hashable, Sendable {
    package let key: [UInt8]
    package let path: ResourcePath

    package init(key: [UInt8], path: ResourcePath) {
        self.key = key
        self.path = path
    }
}

/// What one user has of an index.
package struct IndexPart: Hashable, Sendable {
    package let user: SyncUser
    package let progress: IndexProgress

    package init(user: SyncUser, progress: IndexProgress) {
        self.user = user
        self.progress = progress
    }
}

/// How far a user's entries of an index go.
package struct IndexProgress: Hashable, Sendable {
    package enum Stage: Hashable, Sendable {
        /// The documents that were there when the index was made are gone through; so far up to this one.
        case filling(through: ResourcePath?)
        case ready
        /// A document has more entries than an index takes of one. The index must not be read.
        case abandoned
    }

    package var stage: Stage
    /// The entries have all changes up to this one.
    package var lastChange: ChangeNumber
    /// When it was worked on last. Who has waited for the longest is next.
    package var sequence: SequenceNumber

    package init(stage: Stage, lastChange: ChangeNumber, sequence: SequenceNumber) {
        self.stage = stage
        self.lastChange = lastChange
        self.sequence = sequence
    }
}
