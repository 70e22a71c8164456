import BrasaDocuments

/// Of which documents of a view there was news lately, so that streams that are a little behind need not look for them. Of
/// a step that took several commits as one only what differs between its ends. At most `countMax`, the oldest go first.
struct RecentNews {
    private struct Entry {
        var time: Timestamp
        var path: ResourcePath

        /// What it takes, about: itself and the path's array.
        var bytes: Int { 48 + self.path.bytes.count }
    }

    private static let countMax = 512

    private var entries: [Entry] = []
    private var head = 0
    private(set) var bytes = 0
    /// Every step after this time is there.
    private(set) var completeAfter: Timestamp

    init(completeAfter: Timestamp) {
        self.completeAfter = completeAfter
    }

    /// Times do not decrease.
    mutating func append(_ path: ResourcePath, time: Timestamp) {
        // Of news of one document in a row the last one says all.
        if self.entries.count > self.head, self.entries[self.entries.count - 1].path == path {
            self.entries[self.entries.count - 1].time = time
            return
        }
        if self.entries.count - self.head == Self.countMax {
            self.completeAfter = self.entries[self.head].time
            self.bytes -= self.entries[self.head].bytes
            self.head += 1
            if self.head == Self.countMax {
                self.entries.removeFirst(self.head)
                self.head = 0
            }
        }
        let entry = Entry(time: time, path: path)
        self.bytes += entry.bytes
        self.entries.append(entry)
    }

    /// Each document once that changed after `time`, and perhaps some that did not change until later; nil when some are
    /// already forgotten.
    func paths(after time: Timestamp) -> [ResourcePath]? {
        guard time >= self.completeAfter else { return nil }
        var index = self.entries.count
        while index > self.head, self.entries[index - 1].time > time { index -= 1 }
        if self.entries.count - index <= 1 { return self.entries[index...].map(\.path) }
        var seen: Set<ResourcePath> = []
        return self.entries[index...].compactMap { seen.insert($0.path).inserted ? $0.path : nil }
    }
}
