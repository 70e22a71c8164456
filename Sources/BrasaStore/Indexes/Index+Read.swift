import BrasaDocuments
import BrasaQueries
import Synchronization

extension Index {
    /// The index's documents that are visible at the reading's time, fewer than there are, or none, once its budget is used
    /// up. Nil: the index was dropped. The caller checks the history for the time afterwards, as after every read.
    func read(_ reading: IndexReading) -> IndexPart? {
        guard var visit = self.database.order.withLock({ $0.visit(self.counts, reading) }) else { return nil }
        var countedPlace = visit.lastCounted?.place ?? 0
        for place in visit.uncertain.reversed() {
            let entry = visit.entries[place]
            guard !self.definition.has(entry.key, entry.path, entry.document.fields) else { continue }
            visit.entries.remove(at: place)
            if place < countedPlace { countedPlace -= 1 }
        }
        guard reading.isCounting else {
            return IndexPart(
                entries: visit.entries,
                count: visit.entries.count,
                examined: visit.examined,
                resume: visit.resume
            )
        }
        return IndexPart(
            count: visit.count + visit.entries.count,
            examined: visit.examined,
            resume: visit.resume,
            last: visit.entries.count > countedPlace ? visit.entries.last : visit.lastCounted?.entry
        )
    }
}
