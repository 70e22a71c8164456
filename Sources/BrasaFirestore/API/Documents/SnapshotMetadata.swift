/// How up to date a snapshot is.
public final class SnapshotMetadata: Hashable, Sendable {
    /// Whether local writes that the server has not acknowledged are in it.
    public let hasPendingWrites: Bool
    /// Whether it is from the cache and perhaps behind the server.
    public let isFromCache: Bool

    init(hasPendingWrites: Bool, isFromCache: Bool) {
        self.hasPendingWrites = hasPendingWrites
        self.isFromCache = isFromCache
    }

    public static func == (left: SnapshotMetadata, right: SnapshotMetadata) -> Bool {
        left.hasPendingWrites == right.hasPendingWrites && left.isFromCache == right.isFromCache
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.hasPendingWrites)
        hasher.combine(self.isFromCache)
    }
}

extension SnapshotMetadata: CustomStringConvertible {
    public var description: String {
        "<SnapshotMetadata: hasPendingWrites=\(self.hasPendingWrites) isFromCache=\(self.isFromCache)>"
    }
}
