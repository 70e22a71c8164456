import BrasaDocuments

/// A step of which more is to be told than a turn allows, which is told stream by stream over several turns. Meanwhile the
/// watcher stays where it was, and does nothing else: all that a stream is or becomes depends on the watcher's position.
final class LargeStep {
    let time: Timestamp
    let isMerged: Bool
    /// The step's news of each view, as indices.
    let news: [ObjectIdentifier: [Int]]
    /// Those that are still to be told, last first.
    private(set) var streams: ContiguousArray<WatchStream>

    init(
        time: Timestamp,
        isMerged: Bool,
        news: [ObjectIdentifier: [Int]],
        streams: ContiguousArray<WatchStream>
    ) {
        self.time = time
        self.isMerged = isMerged
        self.news = news
        self.streams = streams
    }

    func next() -> WatchStream? { self.streams.popLast() }
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
        let large = LargeStep(time: time, isMerged: isMerged, news: news, streams: streams)
        if self.tell(large) { self.end(time, isMerged: isMerged) } else { self.course = .largeStep(large) }
        return true
    }

    var isInLargeStep: Bool { if case .largeStep = self.course { true } else { false } }

    /// What was left by the last turn. Whatever was committed meanwhile is taken as one.
    func goOnTelling() {
        guard case .largeStep(let large) = self.course, self.tell(large) else { return }
        self.course = .behind
        self.end(large.time, isMerged: large.isMerged)
    }

    /// Tells as many streams as the turn allows; whether all have been told.
    private func tell(_ large: LargeStep) -> Bool {
        while self.turn.eventsLeft > 0, let stream = large.next() { self.tell(large, to: stream) }
        return large.streams.isEmpty
    }

    private func tell(_ large: LargeStep, to stream: WatchStream) {
        guard stream.joins(self.step.number) else { return }
        var told: [(index: Int, target: WatchTarget)] = []
        for target in stream.targets where target.isLive {
            for index in large.news[ObjectIdentifier(target.view)] ?? [] { told.append((index, target)) }
        }
        // What several targets are told of one document is said at once.
        if stream.targets.count > 1 { told.sort { $0.index < $1.index } }
        self.turn.eventsLeft -= told.count + 1
        for (index, target) in told {
            guard stream.joins(self.step.number) else { return }
            stream.tell(target, self.step.news[index].news)
        }
        stream.snapshot(at: large.time)
    }
}
