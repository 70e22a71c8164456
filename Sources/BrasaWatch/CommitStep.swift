import BrasaDocuments

/// What a watcher works with while it takes one commit, or several as one. Kept from step to step for its memory.
struct CommitStep {
    /// What a view's subscribers are told of one document.
    enum News {
        /// In the view, as it is now.
        case shown(WatchedDocument)
        /// Still there, but not in the view.
        case left(WatchedDocument)
        case deleted(WatchedDeletion)
    }

    private(set) var number: UInt64 = 0
    /// Views that the change at hand may concern, and lists of further ones.
    var interested: ContiguousArray<View> = []
    var lists: ContiguousArray<ViewList> = []
    var news: ContiguousArray<(view: View, news: News)> = []
    /// Views whose windows have changes.
    var windows: ContiguousArray<View> = []
    /// Views whose windows became too large.
    var failed: ContiguousArray<View> = []
    /// Streams that are told of the step.
    var streams: ContiguousArray<WatchStream> = []
    /// Streams whose sinks became full within the step.
    var cutShort: ContiguousArray<WatchStream> = []

    mutating func begin() {
        self.number += 1
        self.end()
    }

    /// Lets go of what the step held.
    mutating func end() {
        self.interested.removeAll(keepingCapacity: true)
        self.lists.removeAll(keepingCapacity: true)
        self.news.removeAll(keepingCapacity: true)
        self.windows.removeAll(keepingCapacity: true)
        self.failed.removeAll(keepingCapacity: true)
        self.streams.removeAll(keepingCapacity: true)
        self.cutShort.removeAll(keepingCapacity: true)
    }
}
