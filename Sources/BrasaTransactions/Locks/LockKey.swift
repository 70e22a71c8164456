import BrasaDocuments
import BrasaStore

/// What a lock is on: a document's path in one database, whether the document exists or not.
struct LockKey: Hashable {
    let database: DatabaseHandle
    let path: ResourcePath
}

/// How a transaction holds a document. There is no exclusive hold: a commit gets all its documents at once, is applied in
/// the same breath and lets go, so that "exclusive" exists only as a request that waits.
enum LockMode {
    /// Beside any other hold.
    case shared
    /// Beside shared holds, never beside another update hold: for documents that many transactions read in order to
    /// write them.
    case update
}

/// Who goes first: the smaller one is older. `age` is the moment of the first read, inherited by a retry;
/// `sequence` tells two attempts of one age apart.
struct LockPriority: Comparable {
    let age: UInt64
    let sequence: UInt64

    static let oldest = LockPriority(age: 0, sequence: 0)

    static func < (left: LockPriority, right: LockPriority) -> Bool {
        (left.age, left.sequence) < (right.age, right.sequence)
    }
}
