import BrasaPlatform

/// When an issuer's keys are fetched: before the first use, when they are old, and when a token names a key that they do
/// not have (issuers rotate theirs), yet never more often than a floor, so that made-up key names cost the issuer nothing.
struct KeySetSchedule {
    /// Between two fetches, whatever asks for them.
    static let floor: Duration = .seconds(30)
    /// Older keys are fetched again while they go on to be used.
    static let refreshAfter: Duration = .seconds(600)
    /// Older ones, for which nobody asked meanwhile, are used only after it was tried to fetch them again.
    static let waitAfter: Duration = .seconds(660)
    /// Keys that could not be fetched again for this long are used no more.
    static let usableFor: Duration = .seconds(24 * 3_600)

    private(set) var isFetching = false
    private var triedAt: MonotonicTime?
    private var endedAt: MonotonicTime?
    private var fetchedAt: MonotonicTime?

    func isUsable(at now: MonotonicTime) -> Bool {
        self.fetchedAt.map { now - $0 < Self.usableFor } ?? false
    }

    /// Whether the keys are so old that they wait for a fetch, which `begin` begins.
    func isStale(at now: MonotonicTime) -> Bool {
        self.endedAt.map { now - $0 >= Self.waitAfter } ?? true
    }

    /// Whether a fetch begins now. Who is told so sees to it that `finish` is called.
    mutating func begin(missesKey: Bool, at now: MonotonicTime) -> Bool {
        guard !self.isFetching else { return false }
        if let triedAt = self.triedAt, now - triedAt < Self.floor { return false }
        guard missesKey || self.fetchedAt.map({ now - $0 >= Self.refreshAfter }) ?? true else { return false }
        self.isFetching = true
        self.triedAt = now
        return true
    }

    mutating func finish(succeeded: Bool, at now: MonotonicTime) {
        self.isFetching = false
        self.triedAt = now
        self.endedAt = now
        if succeeded { self.fetchedAt = now }
    }
}
