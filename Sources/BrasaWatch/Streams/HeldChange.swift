/// What a stream is about to be told of one document, collecting the targets that it concerns.
struct HeldChange {
    private var news: CommitStep.News
    private var targets: [Int32] = []
    private var removed: [Int32] = []

    init(_ news: CommitStep.News, id: Int32) {
        self.news = news
        self.append(news, id)
    }

    /// Whether it is about the same state of the same document as the news.
    mutating func add(_ news: CommitStep.News, for id: Int32) -> Bool {
        switch (self.news, news) {
        case (.changed(let own), .changed(let other)), (.changed(let own), .removed(let other)),
            (.removed(let own), .changed(let other)), (.removed(let own), .removed(let other)):
            guard own === other else { return false }
        case (.deleted(let own), .deleted(let other)):
            guard own === other else { return false }
        default: return false
        }
        self.append(news, id)
        return true
    }

    private mutating func append(_ news: CommitStep.News, _ id: Int32) {
        if case .changed = news { self.targets.append(id) } else { self.removed.append(id) }
    }

    var event: WatchEvent {
        switch self.news {
        case .changed(let document), .removed(let document):
            .documentChanged(document, targets: self.targets, removed: self.removed)
        case .deleted(let deletion): .documentDeleted(deletion, removed: self.removed)
        }
    }
}

extension CommitStep.News {
    func event(for ids: [Int32]) -> WatchEvent {
        switch self {
        case .changed(let document): .documentChanged(document, targets: ids, removed: [])
        case .removed(let document): .documentChanged(document, targets: [], removed: ids)
        case .deleted(let deletion): .documentDeleted(deletion, removed: ids)
        }
    }
}
