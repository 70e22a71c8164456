import BrasaDocuments
import BrasaPlatform

/// What a stream is told of one step of the watcher.
struct StepShare {
    /// The latest step that it was told of.
    var number: UInt64 = 0
    /// The last news of the step, while other targets may be told of the same document.
    var held: HeldNews?
}

/// What a stream says to its sink: in a step while it is live, by itself on its way to the watcher's position.
extension WatchStream {
    // MARK: Sending

    func send(_ event: WatchEvent) {
        if self.isClosed { return }
        self.sink.send(event)
        self.watcher.values.eventsSent += 1
        if !self.needsFlush {
            self.needsFlush = true
            self.watcher.flushLater(self)
        }
    }

    func flush() {
        self.needsFlush = false
        if !self.isClosed { self.sink.flush() }
    }

    /// Everything up to the time was said.
    func snapshot(at time: Timestamp) {
        self.release()
        self.lastTold = self.watcher.turn.now
        let snapshot = self.table.snapshot(at: time, of: self.watcher)
        // New ones are the last, so this seldom looks far; restarted ones may be anywhere.
        if self.unsettledCount == 0 || self.targets.last(where: { !$0.isCurrent }) == nil {
            self.tokens.clear()
            return self.send(.snapshot(snapshot))
        }
        let due = self.tokens.take(among: self.targets, now: self.watcher.turn.now)
        if !due.isEmpty { self.send(.resumable(due, snapshot)) }
        self.send(.snapshot(WatchSnapshot(time: time, token: nil)))
    }

    func sayAlive() {
        self.lastTold = self.watcher.turn.now
        self.send(.alive(self.targets.map(\.id)))
    }

    // MARK: Steps

    /// Whether the stream is told more of the step. One whose sink becomes full in the middle is told the rest later.
    func joins(_ number: UInt64) -> Bool {
        guard self.sink.isWritable, !self.isClosed else {
            if self.isTold(of: number) {
                self.share.number = 0
                self.share.held = nil
                self.watcher.step.cutShort.append(self)
            }
            self.fallBehind()
            return false
        }
        if self.share.number == number { return true }
        self.share.number = number
        self.watcher.step.streams.append(self)
        return true
    }

    func isTold(of number: UInt64) -> Bool { self.share.number == number }

    /// Says what changed for a live target. What several targets are told of one document is said at once.
    func tell(_ target: WatchTarget, _ news: CommitStep.News) {
        self.tokens.note(target)
        if self.targets.count == 1 { return self.send(news.event(for: target.ids)) }
        if self.share.held?.add(news, for: target.id) == true { return }
        self.release()
        self.share.held = HeldNews(news, for: target.ids)
    }

    /// Whether, of a step with one news of one view, it is told that and a snapshot whose token is for all of its targets.
    var isToldAtOnce: Bool { self.unsettledCount == 0 && !self.hasEqualTargets }

    /// Says what changed for one target, and that it is all up to the snapshot. False when the sink takes nothing.
    func tell(_ update: WatchUpdate, now: MonotonicTime) -> Bool {
        guard !self.isClosed, self.sink.isWritable else {
            self.fallBehind()
            return false
        }
        self.lastTold = now
        self.tokens.clear()
        self.sink.send(update)
        self.flush()
        return true
    }

    private func release() {
        guard let held = self.share.held.take() else { return }
        self.send(held.event)
    }

    /// From here on the stream is told nothing of steps, until a round has brought it back.
    func fallBehind() {
        guard self.isLive else { return }
        if self.stalledSince == nil, !self.sink.isWritable { self.stalledSince = self.watcher.turn.now }
        let base = self.watcher.base(in: self.table)
        for target in self.targets where target.isLive {
            target.phase = .behind(WatchTarget.Known(base: base, isCurrent: true))
        }
    }
}
