package import BrasaDocuments
package import BrasaQueries

/// Indexes on fields of documents as their user sees them, overlays included. The definitions are shared by all users; the
/// entries, and how far they go, are each user's own.
///
/// Entries are behind. As soon as there is an index of a collection id, the storage notes every change of a document with
/// that collection id and of its overlays (set, removed or collected) under the transaction's sequence number, a document's
/// newest change only. What was noted behind an index's offset is to be looked at beside its entries.
package protocol IndexTables: AnyObject {
    func fieldIndexes() throws(StorageError) -> [FieldIndex]
    func fieldIndexes(ofCollectionID id: UTF8Text) throws(StorageError) -> [FieldIndex]
    /// Under an id that was never used before.
    func addFieldIndex(_ definition: IndexDefinition) throws(StorageError)
    /// With all that belongs to it, whoever the user is; also what was noted for it, when it was the collection id's last.
    func removeFieldIndex(_ index: FieldIndex) throws(StorageError)

    /// Nil when nothing was done for this user yet.
    func progress(of index: IndexID, for user: SyncUser) throws(StorageError) -> IndexProgress?
    func setProgress(_ progress: IndexProgress, of index: IndexID, for user: SyncUser) throws(StorageError)

    /// The first entries between two places or, reversed, the last, nearest to that end first.
    func entries(
        of index: IndexID,
        for user: SyncUser,
        in interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) throws(StorageError) -> [FieldIndexEntry]
    /// Replaces a document's entries. No key is another's beginning.
    func setKeys(
        _ keys: [IndexKey],
        of path: ResourcePath,
        in index: IndexID,
        for user: SyncUser
    ) throws(StorageError)

    /// Documents with this collection id that the cache knows, overlays aside, in path order behind a path.
    func documentPaths(
        ofCollectionID id: UTF8Text,
        after path: ResourcePath?,
        limit: Int
    ) throws(StorageError) -> [ResourcePath]
    /// Behind a place, in order.
    func changes(
        ofCollectionID id: UTF8Text,
        after offset: IndexOffset,
        limit: Int
    ) throws(StorageError) -> [IndexOffset]
    /// Notes the documents that the user has overlays of as if they had changed now.
    func noteOverlays(ofCollectionID id: UTF8Text, of user: SyncUser) throws(StorageError)
    /// What every user's indexes have.
    func forgetChanges(ofCollectionID id: UTF8Text) throws(StorageError)
}

package typealias IndexID = Int64

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

/// A place among the changes of documents: the change of `path` under a sequence number or, without a path, the place
/// before all changes under that number.
package struct IndexOffset: Hashable, Comparable, Sendable {
    package let sequence: SequenceNumber
    package let path: ResourcePath?

    package init(sequence: SequenceNumber, path: ResourcePath?) {
        self.sequence = sequence
        self.path = path
    }

    package static func < (left: IndexOffset, right: IndexOffset) -> Bool {
        guard left.sequence == right.sequence else { return left.sequence < right.sequence }
        guard let path = right.path else { return false }
        return left.path.map { $0 < path } ?? true
    }
}

/// How far a user's entries of an index go.
package struct IndexProgress: Hashable, Sendable {
    package enum Stage: Hashable, Sendable {
        /// The documents that were there when the index was made are gone through in path order; so far up to this one.
        case filling(through: ResourcePath?)
        case ready
        /// A document has more entries than an index takes of one. The index must not be read.
        case abandoned
    }

    package var stage: Stage
    /// The entries have all changes up to here.
    package var offset: IndexOffset
    /// When it was worked on last. Who has waited for the longest is next.
    package var sequence: SequenceNumber

    package init(stage: Stage, offset: IndexOffset, sequence: SequenceNumber) {
        self.stage = stage
        self.offset = offset
        self.sequence = sequence
    }
}
