/// When a commit counts as durable.
package enum Durability: String, Sendable, CaseIterable {
    /// After `fdatasync`: survives a power cut.
    case fsync
    /// After the write call: survives the process, not the machine.
    case os
    /// At once: no files at all, nothing survives.
    case memory
}
