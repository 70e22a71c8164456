import BrasaPlatform

/// Which documents have lately cost transactions their locks because several read them and then wrote them. While a
/// document is hot its transactional reads take update locks.
///
/// Hot is: `conflictsMin` victims, none more than `duration` after the one before, the last no longer ago than
/// `duration`. At `keysMax` documents the cold ones are forgotten, and if none is cold, new ones are not noted: they go on
/// with shared locks, which is only slower.
struct ContentionHeat {
    private struct Heat {
        var conflicts: Int
        var last: MonotonicTime
    }

    static let conflictsMin = 3
    static let keysMax = 4_096
    static let duration: Duration = .seconds(10)

    private var heats: [LockKey: Heat] = [:]

    func isHot(_ key: LockKey, now: MonotonicTime) -> Bool {
        guard !self.heats.isEmpty, let heat = self.heats[key] else { return false }
        return heat.conflicts >= Self.conflictsMin && now - heat.last <= Self.duration
    }

    mutating func noteConflicts(_ count: Int, on key: LockKey, now: MonotonicTime) {
        guard count > 0 else { return }
        if let heat = self.heats[key], now - heat.last <= Self.duration {
            self.heats[key] = Heat(conflicts: min(heat.conflicts + count, Self.conflictsMin), last: now)
            return
        }
        if self.heats.count >= Self.keysMax { self.forgetCold(now: now) }
        guard self.heats.count < Self.keysMax else { return }
        self.heats[key] = Heat(conflicts: count, last: now)
    }

    /// Others waited for a holder that then wrote: without update locks they would have been its victims.
    mutating func keepHot(_ key: LockKey, now: MonotonicTime) {
        if self.isHot(key, now: now) { self.heats[key]?.last = now }
    }

    mutating func forgetCold(now: MonotonicTime) {
        self.heats = self.heats.filter { now - $0.value.last <= Self.duration }
    }
}
