public import Foundation

/// Marks the kinds of cache that ``FirestoreSettings/cacheSettings`` takes.
public protocol LocalCacheSettings: AnyObject {}

/// Marks the ways in which a memory cache forgets documents.
public protocol MemoryGarbageCollectorSettings: AnyObject {}

/// What a cache does with documents that nobody listens to.
enum CacheKind: Hashable, Sendable {
    case eager
    case leastRecentlyUsed(bytes: Int64)

    static let bytesDefault: Int64 = 100 * 1024 * 1024
}

/// For ``MemoryLRUGCSettings``: nothing is ever forgotten.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// A cache that is gone when the program ends.
public final class MemoryCacheSettings: LocalCacheSettings {
    let cache: CacheKind

    /// Forgets the documents that were not used for longest.
    public convenience init() {
        self.init(.leastRecentlyUsed(bytes: CacheKind.bytesDefault))
    }

    public convenience init(garbageCollectorSettings settings: any MemoryGarbageCollectorSettings) {
        if let lru = settings as? MemoryLRUGCSettings {
            self.init(.leastRecentlyUsed(bytes: lru.sizeBytes))
        } else {
            self.init(.eager)
        }
    }

    init(_ cache: CacheKind) {
        self.cache = cache
    }
}

/// Forgets a document as soon as no listener holds it.
public final class MemoryEagerGCSetting: MemoryGarbageCollectorSettings {
    public init() {}
}

/// Forgets the documents that were not used for longest once the cache is larger than its size, 100 MiB by default.
public final class MemoryLRUGCSettings: MemoryGarbageCollectorSettings {
    let sizeBytes: Int64

    public init() {
        self.sizeBytes = CacheKind.bytesDefault
    }

    public init(sizeBytes size: NSNumber) {
        self.sizeBytes = size.int64Value
    }
}
