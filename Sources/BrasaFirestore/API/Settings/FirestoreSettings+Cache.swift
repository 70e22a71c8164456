extension FirestoreSettings {
    /// What was asked for by the newer and by the older properties.
    struct Cache: Hashable, Sendable {
        var given: CacheKind?
        var isPersistent = false
        var bytes = CacheKind.bytesDefault

        var kind: CacheKind {
            if let given = self.given { return given }
            return self.isPersistent
                ? .persistent(bytes: self.bytes, folder: nil) : .leastRecentlyUsed(bytes: self.bytes)
        }

        func check() throws(UsageError) {
            guard self.given == nil || self == Cache(given: self.given) else {
                throw UsageError("cacheSettings cannot be set together with isPersistenceEnabled or cacheSizeBytes.")
            }
        }
    }

    /// How documents are kept between uses: a ``MemoryCacheSettings``, the default here, or a
    /// ``PersistentCacheSettings``.
    public var cacheSettings: any LocalCacheSettings {
        get {
            let kind = self.values.cache.kind
            if case .persistent = kind { return PersistentCacheSettings(kind) }
            return MemoryCacheSettings(kind)
        }
        set {
            // There are no others.
            if let persistent = newValue as? PersistentCacheSettings { self.values.cache.given = persistent.cache }
            if let memory = newValue as? MemoryCacheSettings { self.values.cache.given = memory.cache }
        }
    }

    /// Whether the cache is on disk. False by default, other than on Apple's systems.
    @available(*, deprecated, message: "Use cacheSettings.")
    public var isPersistenceEnabled: Bool {
        get { self.values.cache.isPersistent }
        set { self.values.cache.isPersistent = newValue }
    }

    /// The size that the cache is brought back to.
    @available(*, deprecated, message: "Use cacheSettings.")
    public var cacheSizeBytes: Int64 {
        get { self.values.cache.bytes }
        set {
            trapping { () throws(UsageError) in try CacheKind.checkSize(newValue) }
            self.values.cache.bytes = newValue
        }
    }
}
