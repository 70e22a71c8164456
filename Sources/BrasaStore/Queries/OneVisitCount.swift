package import BrasaDocuments
import BrasaQueries

extension Store {
    /// How many results a query without offset and limit has, up to `most`, if one visit to an index tells: what a scan would
    /// find out in more steps. Nil: it takes a scan.
    /// - Parameter planned: for results in any order, at present.
    package func countInOneVisit(
        _ planned: PlannedQuery,
        in database: DatabaseHandle,
        at time: Timestamp,
        upTo most: Int = .max
    ) throws(StoreError) -> Int? {
        guard planned.isRow, let row = planned.row else { return nil }
        let budget = ScanBudget(entries: most, steps: self.configuration.queryStepMax)
        let part = row.index.read(
            IndexReading(
                position: row.interval.start,
                end: row.interval.end,
                time: time.microseconds,
                isDescending: false,
                isCounting: true,
                needsPlaces: false,
                budget: budget
            )
        )
        // One visit needs no pin: whether the time's versions were still there is known behind it, as for a document.
        try database.history.check(time.microseconds)
        guard let part else { return nil }
        guard part.resume == nil || part.count >= most else {
            if part.examined >= budget.steps { planned.noteLongRow() }
            return nil
        }
        self.markUsed(planned.indexes)
        return part.count
    }
}
