/// What a watcher's views keep: what they select, their windows, and what went by, so that streams are told of it cheaply.
/// Each keeps little, but there may be a million of them: it is bounded for all together.
final class ViewMemory {
    private static let documentsMax = 64

    /// Documents that were sent, the last ones, each in the place that its number gives. Views know theirs by the number:
    /// a weak reference would make every reference to a document that goes to many a slow one.
    private var documents: ContiguousArray<WatchedDocument> = []
    private var keptCount = 0
    /// What the selections of all views take.
    var selectionBytes = 0
    /// What windows keep, and what has been gathered for those that are being filled.
    var windowBytes = 0
    /// What windows take that are kept as they were.
    fileprivate(set) var shownBytes = 0
    /// What the views' recent news takes.
    var recentBytes = 0
    /// How many documents are kept for targets on the same way back (`Difference`).
    var foundCount = 0

    /// The document's number.
    func keep(_ document: WatchedDocument) -> Int {
        let number = self.keptCount
        if let newest = self.document(number - 1), newest === document { return number - 1 }
        self.keptCount += 1
        if number < Self.documentsMax {
            self.documents.append(document)
        } else {
            self.documents[number % Self.documentsMax] = document
        }
        return number
    }

    /// Nil when others have taken its place.
    func document(_ number: Int) -> WatchedDocument? {
        guard number >= 0, self.keptCount - number <= Self.documentsMax else { return nil }
        return self.documents[number % Self.documentsMax]
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
