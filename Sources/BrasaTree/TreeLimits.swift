/// What the hosted service takes. Each has its reason in `TreeError`.
package enum TreeLimits {
    package static let keyBytesMax = 768
    /// Keys on the way from the root to a leaf.
    package static let levelsMax = 32
    package static let stringBytesMax = 10 * 1024 * 1024
    /// A single write over REST, as JSON text.
    package static let writeBytesMaxREST = 256 * 1024 * 1024
    /// A single write by a client library.
    package static let writeBytesMaxClient = 16 * 1024 * 1024
    /// Paths of one update, and server's values in them.
    package static let placementsMax = 10_000
    /// Ranges of a compound hash. A client that holds 256 MB cuts them into about 1,700.
    package static let postsMax = 4096
    /// What a number may be written with. Longer ones add no precision.
    static let numberBytesMax = 2048
}
