import BrasaDocuments
import BrasaQueries
import Synchronization

extension Index {
    /// The index's documents that are visible at `time`: in ascending order from `position` up to
    /// `end`, or in descending order from `position` down to it; fewer than there are, or none, once the budget is used
    /// up. Nil: the index was dropped. `isCounting` leaves `entries` empty and counts only. The caller checks the history
    /// for `time` afterwards, as after every read.
    func read(
        from position: IndexPosition,
        to end: IndexPosition,
        at time: Int64,
        isDescending: Bool,
        isCounting: Bool = false,
        budget: ScanBudget
    ) -> IndexPart? {
        let reading = IndexReading(
            position: position,
            end: end,
            time: time,
            isDescending: isDescending,
            isCounting: isCounting,
            budget: budget
        )
        guard var visit = self.database.order.withLock({ $0.visit(self.counts, reading) }) else { return nil }
        for place in visit.uncertain.reversed() {
            let entry = visit.entries[place]
            let isThere = self.definition.has(entry.key, entry.path, entry.document.fields)
            if !isThere { visit.entries.remove(at: place) }
        }
        return IndexPart(
            entries: isCounting ? [] : visit.entries,
            count: visit.count + visit.entries.count,
            examined: visit.examined,
            resume: visit.resume
        )
    }
}
