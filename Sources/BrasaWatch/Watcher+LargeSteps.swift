import BrasaDocuments

/// A step of which more is to be told than a turn allows, which is told stream by stream over several turns. Meanwhile the
/// watcher stays where it was, and does nothing else: all that a stream is or becomes depends on the watcher's position.
struct LargeStep {
    let time: Timestamp
    let isMerged: Bool
    /// The step's news of each view, as indices.
    let news: [ObjectIdentifier: [Int]]
    /// Those that are still to be told, last first.
    var streams: ContiguousArray<WatchStream>
}

extension Watcher {
    /// Whether the step is told over several turns.
    func beginLargeStep(_ time: Timestamp, isMerged: Bool) -> Bool {
        let count = self.step.news.reduce(0) { $0 + $1.view.subscribers.count }
        guard count > self.configuration.turnEventsMax else { return false }
        var news: [ObjectIdentifier: [Int]] = [:]
        var streams: ContiguousArray<WatchStream> = []
        var seen: Set<ObjectIdentifier> = []
        for (index, (view, _)) in self.step.news.enumerated() {
            news[ObjectIdentifier(view), default: []].append(index)
            guard news[ObjectIdentifier(view)]?.count == 1 else { continue }
            for target in view.subscribers where target.isLive {
                if seen.insert(ObjectIdentifier(target.stream)).inserted { streams.append(target.stream) }
            }
        }
        streams.reverse()
        self.largeStep = LargeStep(time: time, isMerged: isMerged, news: news, streams: streams)
        self.goOnTelling()
        return true
    }

    /// Tells as many streams as the turn allows.
    func goOnTelling() {
        while self.eventsLeft > 0, let stream = self.largeStep?.streams.popLast() { self.tellAll(to: stream) }
        guard let large = self.largeStep, large.streams.isEmpty else { return }
        self.largeStep = nil
        self.end(large.time, isMerged: large.isMerged)
    }

    private func tellAll(to stream: WatchStream) {
        guard let large = self.largeStep, stream.joins(self.step.number) else { return }
        var told: [(index: Int, target: WatchTarget)] = []
        for target in stream.targets where target.isLive {
            for index in large.news[ObjectIdentifier(target.view)] ?? [] { told.append((index, target)) }
        }
        // What several targets are told of one document is said at once.
        if stream.targets.count > 1 { told.sort { $0.index < $1.index } }
        self.eventsLeft -= told.count + 1
        for (index, target) in told {
            guard stream.joins(self.step.number) else { return }
            stream.tell(target, self.step.news[index].news)
        }
        stream.snapshot(at: large.time)
    }
}
