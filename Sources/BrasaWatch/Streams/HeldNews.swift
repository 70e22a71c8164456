/// What a stream is about to be told of one document, collecting the targets that it concerns.
struct HeldNews {
    private var news: CommitStep.News
    private var targets: [Int32]
    private var removed: [Int32]

    /// `ids` are shared as long as they stay alone.
    init(_ news: CommitStep.News, for ids: [Int32]) {
        self.news = news
        if case .shown = news {
            (self.targets, self.removed) = (ids, [])
        } else {
            (self.targets, self.removed) = ([], ids)
        }
    }

    /// Whether it is about the same state of the same document as the news.
    mutating func add(_ news: CommitStep.News, for id: Int32) -> Bool {
        switch (self.news, news) {
        case (.shown(let own), .shown(let other)), (.shown(let own), .left(let other)),
            (.left(let own), .shown(let other)), (.left(let own), .left(let other)):
            guard own === other else { return false }
        case (.deleted(let own), .deleted(let other)):
            guard own === other else { return false }
        default: return false
        }
        if case .shown = news { self.targets.append(id) } else { self.removed.append(id) }
        return true
    }

    var event: WatchEvent {
        switch self.news {
        case .shown(let document), .left(let document):
            .documentChanged(document, targets: self.targets, removed: self.removed)
        case .deleted(let deletion): .documentDeleted(deletion, removed: self.removed)
        }
    }
}

extension CommitStep.News {
    func event(for ids: [Int32]) -> WatchEvent {
        switch self {
        case .shown(let document): .documentChanged(document, targets: ids, removed: [])
        case .left(let document): .documentChanged(document, targets: [], removed: ids)
        case .deleted(let deletion): .documentDeleted(deletion, removed: ids)
        }
    }
}
