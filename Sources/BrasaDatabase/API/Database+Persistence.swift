internal import Synchronization

extension Database {
    /// Whether queued writes, and what was listened to, are kept on disk: a program that starts without a connection shows what
    /// it knew, and writes that the server has not answered are sent when there is one. Off unless it is set. Stops the
    /// program after the first use.
    ///
    /// One program at a time uses a database's cache: everything fails in a second one. Transactions are not kept, nor what
    /// is to be written when the connection ends.
    public var isPersistenceEnabled: Bool {
        get { self.state.withLock { $0.persistence.isEnabled } }
        set { self.configure("isPersistenceEnabled") { $0.persistence.isEnabled = newValue } }
    }

    /// How much of what nobody listens to any more is kept on disk, about: from 1 MiB to 100 MiB, 10 MiB unless it is set.
    /// Stops the program after the first use, and for other sizes.
    public var persistenceCacheSizeBytes: UInt {
        get { self.state.withLock { $0.persistence.bytesMax } }
        set {
            guard Persistence.bytesAllowed.contains(newValue) else {
                Self.log.stop("persistenceCacheSizeBytes must be from 1 MiB to 100 MiB, not \(newValue) bytes.")
            }
            self.configure("persistenceCacheSizeBytes") { $0.persistence.bytesMax = newValue }
        }
    }

    /// The folder in which caches are kept, each in one of its own by app, server and database. Nil is the usual one: on
    /// Linux `firebase-database` in `$XDG_DATA_HOME` or `~/.local/share`, in Application Support on macOS. Stops the
    /// program after the first use.
    public var persistenceFolder: String? {
        get { self.state.withLock { $0.persistence.folder } }
        set { self.configure("persistenceFolder") { $0.persistence.folder = newValue } }
    }
}
