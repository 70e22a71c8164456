import BrasaDocuments
import BrasaQueries
import Synchronization

extension Index {
    /// The index's documents that are visible at the reading's time, fewer than there are, or none, once its budget is used
    /// up. Nil: the index was dropped. The caller checks the history for the time afterwards, as after every read.
    func read(_ reading: IndexReading) -> IndexPart? {
        var visit = IndexVisit()
        guard self.database.order.withLock({ $0.visit(self.counts, reading, &visit) }) else { return nil }
        var countedPlace = visit.lastCounted?.place ?? 0
        for (place, key) in visit.uncertain.reversed() {
            let found = visit.found[place]
            guard !self.definition.has(key, found.path, found.document.fields) else { continue }
            visit.found.remove(at: place)
            if reading.needsPlaces { visit.keys.remove(at: place) }
            if place < countedPlace { countedPlace -= 1 }
        }
        guard reading.isCounting else {
            return IndexPart(
                found: visit.found,
                keys: visit.keys,
                count: visit.found.count,
                examined: visit.examined,
                resume: visit.resume
            )
        }
        return IndexPart(
            count: visit.count + visit.found.count,
            examined: visit.examined,
            resume: visit.resume,
            last: visit.found.count > countedPlace ? visit.found.last : visit.lastCounted?.document
        )
    }
}
