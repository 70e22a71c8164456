/// What a watcher's views keep: what they select, their windows, and what went by, so that streams are told of it cheaply.
/// Each keeps little, but there may be a million of them: it is bounded for all together.
final class ViewMemory {
    private static let documentsMax = 64

    /// Documents that were sent, the last ones: views know theirs as long as it is here.
    private var documents: ContiguousArray<WatchedDocument> = []
    private var next = 0
    /// What the selections of all views take.
    var selectionBytes = 0
    /// What windows keep, and what has been gathered for those that are being filled.
    var windowBytes = 0
    /// What windows take that are kept as they were.
    fileprivate(set) var shownBytes = 0
    /// What the views' recent news takes.
    var recentBytes = 0

    func keep(_ document: WatchedDocument) {
        if let last = self.documents.last, last === document { return }
        if self.documents.count < Self.documentsMax {
            self.documents.append(document)
        } else {
            self.documents[self.next] = document
            self.next = (self.next + 1) % Self.documentsMax
        }
    }
}

/// What a window shows at one position of the watcher: shared by the passages to there, and with the window itself until
/// it changes.
final class ShownWindow {
    let entries: ArraySlice<Window.Entry>
    private let bytes: Int
    private let memory: ViewMemory

    init(_ window: Window, memory: ViewMemory) {
        self.entries = window.shown
        self.bytes = window.bytes
        self.memory = memory
        memory.shownBytes += window.bytes
    }

    deinit { self.memory.shownBytes -= self.bytes }
}
