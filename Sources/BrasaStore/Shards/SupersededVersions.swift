/// The versions of one document before its newest, oldest first, searched by bisection: a counter may have a million.
final class SupersededVersions {
    /// From `start` on; what was before is forgotten and has no fields.
    private var versions: [DocumentChain.Version] = []
    private var start = 0

    var count: Int { self.versions.count - self.start }

    func append(_ version: DocumentChain.Version) {
        self.versions.append(version)
    }

    func removeLast() -> DocumentChain.Version? {
        self.count > 0 ? self.versions.removeLast() : nil
    }

    func newest(at time: Int64) -> DocumentChain.Version? {
        let index = self.firstIndex(after: time)
        return index > self.start ? self.versions[index - 1] : nil
    }

    func oldest(after time: Int64) -> DocumentChain.Version? {
        let index = self.firstIndex(after: time)
        return index < self.versions.count ? self.versions[index] : nil
    }

    /// Keeps the version that a reader at `horizon` sees and the ones after it.
    /// Complexity: O(log n) and what is forgotten, amortised.
    func trim(before horizon: Int64, forgetting: (DocumentChain.Version) -> Void) -> (count: Int, bytes: Int) {
        let keep = self.firstIndex(after: horizon) - 1
        guard keep > self.start else { return (0, 0) }
        let count = keep - self.start
        var bytes = 0
        for index in self.start..<keep {
            bytes += self.versions[index].historyBytes
            forgetting(self.versions[index])
            self.versions[index].fields = nil
        }
        self.start = keep
        if self.start > self.versions.count / 2 {
            self.versions = Array(self.versions[self.start...])
            self.start = 0
        }
        return (count, bytes)
    }

    func removeAll(forgetting: (DocumentChain.Version) -> Void) -> (count: Int, bytes: Int) {
        let removed = (self.count, self.versions[self.start...].reduce(0) { $0 + $1.historyBytes })
        self.versions[self.start...].forEach(forgetting)
        self.versions = []
        self.start = 0
        return removed
    }

    private func firstIndex(after time: Int64) -> Int {
        var low = self.start
        var high = self.versions.count
        while low < high {
            let middle = (low + high) / 2
            if self.versions[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
