import BrasaDocuments

/// Which documents of a view changed lately, so that streams that are a little behind need not look for them. Of a step
/// that took several commits as one only what differs between its ends. At most `countMax`, the oldest go first.
struct RecentChanges {
    private struct Change {
        var time: Timestamp
        var path: ResourcePath

        /// What it takes, about: itself and the path's array.
        var bytes: Int { 48 + self.path.bytes.count }
    }

    private static let countMax = 512

    private var changes: [Change] = []
    private var head = 0
    private(set) var bytes = 0
    /// Every step after this time is there.
    private(set) var completeAfter: Timestamp

    init(completeAfter: Timestamp) {
        self.completeAfter = completeAfter
    }

    /// Times do not decrease.
    mutating func append(_ path: ResourcePath, time: Timestamp) {
        // Of changes of one document in a row the last one says all.
        if self.changes.count > self.head, self.changes[self.changes.count - 1].path == path {
            self.changes[self.changes.count - 1].time = time
            return
        }
        if self.changes.count - self.head == Self.countMax {
            self.completeAfter = self.changes[self.head].time
            self.bytes -= self.changes[self.head].bytes
            self.head += 1
            if self.head == Self.countMax {
                self.changes.removeFirst(self.head)
                self.head = 0
            }
        }
        let change = Change(time: time, path: path)
        self.bytes += change.bytes
        self.changes.append(change)
    }

    /// Each document once that changed after `time`, and perhaps some that did not change until later; nil when some are
    /// already forgotten.
    func paths(after time: Timestamp) -> [ResourcePath]? {
        guard time >= self.completeAfter else { return nil }
        var index = self.changes.count
        while index > self.head, self.changes[index - 1].time > time { index -= 1 }
        if self.changes.count - index <= 1 { return self.changes[index...].map(\.path) }
        var seen: Set<ResourcePath> = []
        return self.changes[index...].compactMap { seen.insert($0.path).inserted ? $0.path : nil }
    }
}
