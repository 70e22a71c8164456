import BrasaDocuments

/// The end of a step: live streams are told of it.
extension Watcher {
    /// Hands the step's news to the live streams, all of it before one snapshot. Told are those that can take it; others
    /// fall behind, at the watcher's position.
    func tell(_ time: Timestamp) {
        if self.step.news.count == 1 {
            let (view, news) = self.step.news[0]
            return self.tell(view, news, time)
        }
        for (view, news) in self.step.news {
            self.turn.eventsLeft -= view.subscribers.count
            for target in view.subscribers where target.isLive { self.tell(target, news) }
        }
        self.endStep(at: time)
    }

    private func endStep(at time: Timestamp) {
        for stream in self.step.streams where stream.isTold(of: self.step.number) { stream.snapshot(at: time) }
    }

    private func tell(_ target: WatchTarget, _ news: CommitStep.News) {
        if target.stream.joins(self.step.number) { target.stream.tell(target, news) }
    }

    /// Most steps are one document's in one view, and most streams are live with all of their targets. Who is to be told
    /// nothing else is told everything at once, while what it takes to tell it is in the processor's caches: with thousands
    /// of streams it would not be there any more when their turn came again.
    private func tell(_ view: View, _ news: CommitStep.News, _ time: Timestamp) {
        self.turn.eventsLeft -= view.subscribers.count
        guard let table = view.subscribers.first?.stream.table else { return }
        // What is the same for all is done once.
        var updates = StepUpdates(news, upTo: table.snapshot(at: time, of: self))
        let now = self.turn.now
        var told = 0
        for target in view.subscribers where target.isLive {
            let stream = target.stream
            if !stream.isToldAtOnce {
                self.tell(target, news)
            } else if stream.tell(updates.update(for: target), now: now) {
                told += 1
            }
        }
        self.values.eventsSent += 2 * told
        self.endStep(at: time)
    }
}
