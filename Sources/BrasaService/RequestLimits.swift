/// How large the requests of methods get that need less than the 10 MiB which documents and queries may take.
enum RequestLimits {
    /// A name or two, times, ids of transactions.
    static let names = 32 << 10
    /// The same and masks: thousands of field paths of usual length.
    static let masks = 256 << 10
}
