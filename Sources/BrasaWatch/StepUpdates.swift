/// What the streams of one view are told of a step with one news, made once for all whose targets have the same id.
struct StepUpdates {
    /// Clients count their targets from a small number on: most streams have one of a few ids.
    static let updatesMax = 8

    private let news: CommitStep.News
    private let snapshot: WatchSnapshot
    private var updates: ContiguousArray<(id: Int32, update: WatchUpdate)> = []
    private var oldest = 0

    init(_ news: CommitStep.News, upTo snapshot: WatchSnapshot) {
        self.news = news
        self.snapshot = snapshot
    }

    mutating func update(for target: WatchTarget) -> WatchUpdate {
        for known in self.updates where known.id == target.id { return known.update }
        let update = WatchUpdate(self.news.event(for: target.ids), upTo: self.snapshot)
        if self.updates.count < Self.updatesMax {
            self.updates.append((target.id, update))
        } else {
            self.updates[self.oldest] = (target.id, update)
            self.oldest = (self.oldest + 1) % Self.updatesMax
        }
        return update
    }
}
