/// What a watcher's views keep of what went by, so that streams are told of it cheaply. Each keeps little, but there may be
/// a million of them: it is bounded for all together.
final class ViewMemory {
    private static let documentsMax = 64

    /// Documents that were sent, the last ones: views know theirs as long as it is here.
    private var documents: ContiguousArray<WatchedDocument> = []
    private var next = 0
    /// What the views' recent changes take.
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
