import BrasaDocuments
import BrasaQueries
import BrasaStore

/// Runs a query for its window, in bounded pieces, and keeps in mind what changes meanwhile.
final class WindowFilling {
    private let query: Query
    private let count: Int?
    private var scan: QueryScan
    private var entries: ContiguousArray<Window.Entry> = []
    /// What is kept: the results so far and the names of documents that changed.
    private(set) var bytes = 0
    /// Documents of the scope that changed after the scan's time; nil: too many.
    private var missed: Set<ResourcePath>? = []
    private let missedMax: Int
    /// How often filling the window was begun, this time included; 0 when that was for a step, which had no time to end it.
    let attempt: Int

    /// What a name takes, about, beside its bytes.
    private static let missedBytes = 48
    static let chunk = 256

    /// Throws when the versions of that time are gone.
    init(
        _ query: Query,
        count: Int?,
        missedMax: Int,
        attempt: Int,
        in database: DatabaseHandle,
        at time: Timestamp,
        of store: Store
    ) throws(StoreError) {
        self.query = query
        self.count = count
        self.missedMax = missedMax
        self.attempt = attempt
        self.scan = try store.query(query, in: database, at: time)
    }

    var time: Timestamp { self.scan.time }

    private var isFull: Bool { self.count.map { self.entries.count >= $0 } ?? false }
    private var isEnded: Bool { self.isFull || self.scan.isAtEnd }

    /// Does one piece; whether it was the last.
    func advance() throws(StoreError) -> Bool {
        if self.isEnded { return true }
        let wanted = min(Self.chunk, self.count.map { $0 - self.entries.count } ?? .max)
        for found in try self.scan.next(wanted) {
            // What matches has a key.
            guard let key = found.orderKey ?? self.query.order.key(path: found.path, fields: found.document.fields)
            else { continue }
            let entry = Window.Entry(key: key.bytes, path: found.path, updateTime: found.document.updateTime)
            self.entries.append(entry)
            self.bytes += entry.bytes
        }
        return self.isEnded
    }

    func missed(_ path: ResourcePath) {
        guard self.missed?.insert(path).inserted == true else { return }
        self.bytes += Self.missedBytes + path.bytes.count
        if let missed = self.missed, missed.count > self.missedMax { self.missed = nil }
    }

    /// The window as of the scan's time, and what has to be looked at to bring it up to date: in a fixed order. Nil when
    /// that is too much, and it is better to begin again.
    func finish(_ window: inout Window) -> [ResourcePath]? {
        guard let missed = self.missed else { return nil }
        window.fill(self.entries, isComplete: self.scan.isAtEnd)
        return missed.sorted()
    }
}
