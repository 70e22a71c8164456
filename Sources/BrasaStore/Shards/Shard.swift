import Synchronization

/// A part of a database and its lock. Nothing else is locked while it is held, and it is held for a bounded number of
/// steps (`ShardState+Scan.swift`).
final class Shard: Sendable {
    let state = Mutex(ShardState())
}
