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
    /// Nil: there are none, or none is left.
    private var superseded: IndexTree.Cursor?
    /// What comes next from each, once both have to be compared.
    private var currentHead: IndexTree.Entry?
    private var supersededHead: (entry: IndexTree.Entry, place: IndexPosition)?
    private let isDescending: Bool

    init(
        _ current: IndexTree,
        _ superseded: SupersededKeys,
        from position: IndexPosition,
        at time: Int64,
        isDescending: Bool
    ) {
        self.current = current.cursor(position)
        self.superseded = superseded.cursor(position, at: time)
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

    private mutating func fetchSuperseded() {
        guard let entry = self.isDescending ? self.superseded?.previous() : self.superseded?.next() else {
            self.superseded = nil
            return
        }
        self.supersededHead = (entry, .before(entry.key))
    }
}
