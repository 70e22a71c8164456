/// How large the requests of methods get that need less than the 10 MiB which documents may take. What comes is
/// decoded in one turn.
enum RequestLimits {
    /// Of one service, far shorter.
    static let health = 1 << 10
    /// A name or two, which an answer repeats.
    static let reflection = 16 << 10
    /// A name or two, times, ids of transactions.
    static let names = 32 << 10
    /// The same and masks: thousands of field paths of usual length.
    static let masks = 256 << 10
    /// Two cursors, each of the values of one document, or filters with 30 long values.
    static let queries = 2 << 20
    /// What a stream's targets may take, and what is around it.
    static let targets = (4 << 20) + (64 << 10)
}
