public import Foundation

/// Marks the kinds of cache that ``FirestoreSettings/cacheSettings`` takes.
public protocol LocalCacheSettings: AnyObject {}

/// Marks the ways in which a memory cache forgets documents.
public protocol MemoryGarbageCollectorSettings: AnyObject {}

/// Where documents are kept, and when they are let go of.
enum CacheKind: Hashable, Sendable {
    /// In memory, as long as somebody listens to them.
    case eager
    /// In memory.
    case leastRecentlyUsed(bytes: Int64)
    /// On disk. Nil for the usual folder.
    case persistent(bytes: Int64, folder: String?)

    static let bytesDefault: Int64 = 100 * 1024 * 1024
    private static let bytesMin: Int64 = 1024 * 1024

    static let standard = CacheKind.leastRecentlyUsed(bytes: bytesDefault)

    static func checkSize(_ bytes: Int64) throws(UsageError) {
        guard bytes >= self.bytesMin || bytes == FirestoreCacheSizeUnlimited else {
            throw UsageError("A cache size must be at least \(self.bytesMin) bytes, but was \(bytes).")
        }
    }
}

/// A cache that is never collected.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// A cache on disk, which outlives the program, as do the writes that wait in it. One process uses it at a time.
public final class PersistentCacheSettings: LocalCacheSettings {
    let cache: CacheKind

    /// At most about 100 MiB, in the usual folder: in `$XDG_DATA_HOME` or `~/.local/share` on Linux, in Application Support
    /// on macOS.
    public convenience init() {
        self.init(.persistent(bytes: CacheKind.bytesDefault, folder: nil))
    }

    /// The size is what the cache is brought back to, not one that it never exceeds.
    public convenience init(sizeBytes size: NSNumber) {
        self.init(size, folder: nil)
    }

    /// In a folder of your own, which is made where there is none. Apps, projects and databases keep apart in it.
    public convenience init(sizeBytes size: NSNumber = 104_857_600, folder: URL) {
        self.init(size, folder: folder.path)
    }

    private convenience init(_ size: NSNumber, folder: String?) {
        let bytes = size.int64Value
        trapping { () throws(UsageError) in try CacheKind.checkSize(bytes) }
        self.init(.persistent(bytes: bytes, folder: folder))
    }

    init(_ cache: CacheKind) {
        self.cache = cache
    }
}

/// A cache that is gone when the program ends.
public final class MemoryCacheSettings: LocalCacheSettings {
    let cache: CacheKind

    /// Forgets the documents that were not used for longest.
    public convenience init() {
        self.init(.standard)
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
