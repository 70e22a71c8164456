/// What the engine can be told.
package struct SyncConfiguration: Sendable {
    /// Limbo documents that are asked about at a time; the others wait.
    package var limboResolutionsMax: Int
    /// When the storage is worth collecting; nil: never. Queued writes, and what views show, are not collected.
    package var cacheBytesMax: Int?
    /// How long a read waits for the server.
    package var readTimeout: Duration = .seconds(300)
    /// Batches that are sent before the first of them is answered.
    package var pipelineCountMax = WritePipeline.countMax

    package static let cacheBytesDefault = 100 * 1024 * 1024
    package static let cacheBytesMin = 1024 * 1024

    package init(limboResolutionsMax: Int = 100, cacheBytesMax: Int? = Self.cacheBytesDefault) {
        self.limboResolutionsMax = limboResolutionsMax
        self.cacheBytesMax = cacheBytesMax
    }
}

/// Who is signed in; queued writes belong to a user.
package struct SyncUser: Hashable, Sendable {
    /// Nil: nobody.
    package let uid: String?

    package static let signedOut = SyncUser(uid: nil)

    package init(uid: String?) {
        self.uid = uid
    }
}

package struct ListenOptions: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case `default`, cache
    }

    package var includeMetadataChanges: Bool
    package var source: Source
    /// Holds the first event back until the server has answered or is known to be away.
    package var waitForSyncWhenOnline: Bool

    package init(
        includeMetadataChanges: Bool = false,
        source: Source = .default,
        waitForSyncWhenOnline: Bool = false
    ) {
        self.includeMetadataChanges = includeMetadataChanges
        self.source = source
        self.waitForSyncWhenOnline = waitForSyncWhenOnline
    }
}

package struct ListenerToken: Hashable, Sendable {
    let number: UInt64
}

/// Where a read without listener comes from.
package enum ReadSource: Hashable, Sendable {
    case `default`, server, cache
}
