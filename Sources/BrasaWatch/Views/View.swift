import BrasaDocuments
import BrasaQueries
import BrasaStore

/// What equal targets share. A view without limit keeps no results: whether a document belongs to it shows in the
/// document. One with a limit or an offset keeps its window.
final class View {
    enum Selection: Hashable {
        /// Sorted, each once.
        case documents([ResourcePath])
        case query(Query)
    }

    /// How far a window is.
    enum Filling {
        /// After so many attempts in vain.
        case wanted(attempts: Int)
        case running(WindowFilling)

        var attempts: Int {
            switch self {
            case .wanted(let attempts): attempts
            case .running(let filling): filling.attempt
            }
        }
    }

    let selection: Selection
    /// What that takes.
    let selectionBytes: Int
    let database: DatabaseHandle
    /// What of the documents is sent; nil: all fields.
    private let projection: FieldMask?
    /// All targets on it, live or not.
    private(set) var subscribers: ContiguousArray<WatchTarget> = []
    var recent: RecentNews {
        didSet { self.countRecent(self.recent.bytes) }
    }
    /// Of a query with a limit or an offset, as of the watcher's position unless it is being filled.
    var window: Window? {
        didSet { self.lastShown = nil }
    }
    private weak var lastShown: ShownWindow?
    /// Not nil: the window has to be filled, and until then nothing can be told of the view.
    var filling: Filling?
    /// What the watcher has counted of its window.
    var countedBytes = 0
    /// This step's changes, for the window.
    var relocations: [Window.Relocation] = []
    private let memory: ViewMemory
    /// The number of the document that was sent last, in memory.
    private var lastSent: Int?
    /// The way that targets came back on last, while any of them is on it.
    weak var difference: Difference?
    private var recentBytes = 0

    /// A larger document is encoded anew rather than kept for whoever may come.
    private static let rememberedBytesMax = 16 << 10

    /// Its place in the array of views of its `ViewList`.
    var listIndex = 0

    init(_ selection: Selection, bytes: Int, in database: DatabaseHandle, position: Timestamp, memory: ViewMemory) {
        self.selection = selection
        self.memory = memory
        self.selectionBytes = bytes
        self.database = database
        self.recent = RecentNews(completeAfter: position)
        guard case .query(let query) = selection else {
            self.projection = nil
            return
        }
        self.projection = query.watchedFields
        if query.limit != nil || query.offset > 0 {
            self.window = Window(offset: query.offset, limit: query.limit)
            self.filling = .wanted(attempts: 0)
        }
    }

    /// Its window as it is now; the same object until it changes.
    func shownWindow() -> ShownWindow? {
        if let last = self.lastShown { return last }
        guard let window = self.window else { return nil }
        let shown = ShownWindow(window, memory: self.memory)
        self.lastShown = shown
        return shown
    }

    deinit {
        self.memory.recentBytes -= self.recentBytes
    }

    private func countRecent(_ bytes: Int) {
        self.memory.recentBytes += bytes - self.recentBytes
        self.recentBytes = bytes
    }

    var isReady: Bool { self.filling == nil }

    /// What its window takes, and what is gathered to fill it.
    var windowBytes: Int {
        guard let window = self.window else { return 0 }
        if case .running(let filling) = self.filling { return window.bytes + filling.bytes }
        return window.bytes
    }

    func add(_ target: WatchTarget) {
        target.subscriberIndex = self.subscribers.count
        self.subscribers.append(target)
    }

    func remove(_ target: WatchTarget) {
        guard let last = self.subscribers.popLast(), last !== target else { return }
        self.subscribers[target.subscriberIndex] = last
        last.subscriberIndex = target.subscriberIndex
    }

    /// Whether the document belongs to the view, its limit and offset aside.
    func matches(_ path: ResourcePath, _ document: Document?) -> Bool {
        guard let document else { return false }
        switch self.selection {
        case .documents: return true
        case .query(let query): return query.matches(path: path, fields: document.fields)
        }
    }

    /// The document as it is sent. Of a version sent just now the same object, which has been encoded already.
    func watched(_ path: ResourcePath, _ document: Document) -> WatchedDocument {
        if let last = self.lastSent.flatMap(self.memory.document), last.path == path,
            last.document.updateTime == document.updateTime
        {
            return last
        }
        guard let projection = self.projection else {
            return self.remember(WatchedDocument(path: path, document: document))
        }
        var projected = document
        projected.fields = document.fields.projected(to: projection)
        return self.remember(WatchedDocument(path: path, document: projected))
    }

    /// The same for a document that other views show in full as well.
    func watched(_ path: ResourcePath, _ document: Document, shared: inout WatchedDocument?) -> WatchedDocument {
        guard self.projection == nil else { return self.watched(path, document) }
        if let shared { return self.remember(shared) }
        let watched = self.watched(path, document)
        shared = watched
        return watched
    }

    /// What subscribers are told of a document whose place in the view changed.
    func news(of path: ResourcePath, _ document: Document?, isMember: Bool, at time: Timestamp) -> CommitStep.News {
        guard let document else { return .deleted(WatchedDeletion(path: path, time: time)) }
        let watched = self.watched(path, document)
        return isMember ? .shown(watched) : .left(watched)
    }

    private func remember(_ document: WatchedDocument) -> WatchedDocument {
        guard document.document.fields.bytes.count <= Self.rememberedBytesMax else { return document }
        self.lastSent = self.memory.keep(document)
        return document
    }
}

extension Query {
    /// The fields that are sent: with a projection, those of the order too, since clients sort by them.
    fileprivate var watchedFields: FieldMask? {
        guard let projection = self.projection else { return nil }
        return projection.union(self.order.clauses.map(\.path))
    }

    /// The document's place in the query's results; nil when it is none of them.
    func windowEntry(_ path: ResourcePath, _ document: Document?) -> Window.Entry? {
        guard let document, self.matches(path: path, fields: document.fields),
            let key = self.order.key(path: path, fields: document.fields)
        else { return nil }
        return Window.Entry(key: key.bytes, path: path, updateTime: document.updateTime)
    }
}
