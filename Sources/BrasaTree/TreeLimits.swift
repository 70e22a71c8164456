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
    /// What one read shows, as `TreeNode.estimate` has it.
    package static let readBytesMax = 256 * 1024 * 1024
    /// Nodes at a place that is read or listened to.
    package static let readNodesMax = 75_000_000
    /// One event of an event stream, as `TreeNode.estimate` has it.
    package static let eventBytesMax = 512 * 1024 * 1024
    /// Paths of one update, and server's values in them.
    package static let placementsMax = 10_000
    /// Ranges of a compound hash. A client that holds 256 MB cuts them into about 1,700.
    package static let postsMax = 4096
    /// What a number may be written with. Longer ones add no precision.
    static let numberBytesMax = 2048
}
