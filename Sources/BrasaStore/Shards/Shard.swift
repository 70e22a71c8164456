import Synchronization

/// A part of a database's documents and its lock, which is held for one look-up or change.
final class Shard: Sendable {
    let state = Mutex(ShardState())
}
