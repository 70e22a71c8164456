import BrasaDocuments
import BrasaQueries

/// An index's entries that a reader of one time has to look at, in the order of their keys, either way: those of the
/// documents as they are now, and among them those that ended after the time. Void once the index changes.
struct KeyWalk {
    struct Entry {
        fileprivate let place: IndexTree.Entry
        /// Whether the document has the key no more.
        let isSuperseded: Bool

        var chain: DocumentChain { self.place.chain }
        var key: [UInt8] { self.isSuperseded ? SupersededKeys.key(self.place) : self.place.key }

        func isBefore(_ position: IndexPosition) -> Bool { self.place.isBefore(position) }
    }

    private var current: IndexTree.Cursor
    private let ended: SupersededKeys
    /// Nil: there are none, or none is left.
    private var superseded: IndexTree.Cursor?
    /// The last one from there.
    private var lastEnded: [UInt8]?
    /// What comes next from each, once both have to be compared.
    private var currentHead: IndexTree.Entry?
    private var supersededHead: (entry: IndexTree.Entry, place: IndexPosition)?
    private let time: Int64
    private let isDescending: Bool

    init(
        _ current: IndexTree,
        _ superseded: SupersededKeys,
        from position: IndexPosition,
        at time: Int64,
        isDescending: Bool
    ) {
        self.current = current.cursor(position)
        self.ended = superseded
        self.superseded = superseded.cursor(position, at: time)
        self.time = time
        self.isDescending = isDescending
    }

    mutating func next() -> Entry? {
        if self.supersededHead == nil { self.fetchSuperseded() }
        let current = self.currentHead.take() ?? (self.isDescending ? self.current.previous() : self.current.next())
        guard let (superseded, place) = self.supersededHead else {
            return current.map { Entry(place: $0, isSuperseded: false) }
        }
        if let current, current.isBefore(place) != self.isDescending {
            return Entry(place: current, isSuperseded: false)
        }
        self.currentHead = current
        self.supersededHead = nil
        return Entry(place: superseded, isSuperseded: true)
    }

    /// One entry for each key: it ended as often as its document lost it, and any of the ends leads to the document.
    private mutating func fetchSuperseded() {
        guard var entry = self.nextEnded() else { return }
        if let lastEnded, SupersededKeys.key(entry) == lastEnded {
            self.superseded = self.ended.cursor(
                self.isDescending ? .before(lastEnded) : .after(lastEnded),
                at: self.time
            )
            guard let other = self.nextEnded() else { return }
            entry = other
        }
        self.lastEnded = SupersededKeys.key(entry)
        self.supersededHead = (entry, .before(entry.key))
    }

    private mutating func nextEnded() -> IndexTree.Entry? {
        let entry = self.isDescending ? self.superseded?.previous() : self.superseded?.next()
        if entry == nil { self.superseded = nil }
        return entry
    }
}
