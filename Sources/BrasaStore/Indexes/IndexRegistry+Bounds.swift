import BrasaDocuments
import BrasaPlatform

/// How many builds may wait, and how many failures are remembered: so many of a database, and so many of all. Neither counts
/// in the memory of indexes, and each keeps its database's handle.
extension IndexRegistry.State {
    private static var databaseMax: Int { 256 }
    private static var totalMax: Int { 4_096 }

    /// Of the database whose turn it is, the build comes first that was wanted most recently: queries of fields that are
    /// different each time do not keep waiting what is asked for again and again.
    mutating func chooseBuild() {
        guard let first = self.builds.first, let wanted = self.records[first]?.usage.lastWanted else { return }
        var choice = (place: 0, wanted: wanted)
        for (place, key) in self.builds.enumerated() where key.database == first.database {
            guard let wanted = self.records[key]?.usage.lastWanted, wanted > choice.wanted else { continue }
            choice = (place, wanted)
        }
        self.builds.insert(self.builds.remove(at: choice.place), at: 0)
    }

    /// For one build more of this database. Past the bound another one no longer waits: its queries ask again.
    mutating func makeWaitingRoom(for database: DatabaseHandle) -> Bool {
        let own = self.builds.count { $0.database == database }
        guard own >= Self.databaseMax || self.builds.count >= Self.totalMax else { return true }
        let giver = own >= Self.databaseMax ? database : Self.most(self.builds, than: own + 1)
        let waiting = self.builds.filter { $0.database == giver && $0 != self.begun && !self.isBegun($0) }
        guard let first = self.leastWanted(waiting) else { return false }
        self.builds.removeAll { $0 == first }
        self.records[first] = nil
        return true
    }

    /// Forgets a failure if there are too many. It costs another build at most.
    mutating func boundFailures(of database: DatabaseHandle) {
        let failures = self.records.filter { $0.value.isFailed }.map(\.key)
        let own = failures.count { $0.database == database }
        guard own > Self.databaseMax || failures.count > Self.totalMax else { return }
        let giver = own > Self.databaseMax ? database : Self.most(failures, than: 0)
        if let first = self.leastWanted(failures.filter { $0.database == giver }) { self.records[first] = nil }
    }

    private func leastWanted(_ keys: [IndexRegistry.Key]) -> IndexRegistry.Key? {
        let known = keys.compactMap { key in self.records[key].map { (key: key, record: $0) } }
        return known.min { left, right in
            (left.record.usage.lastWanted, left.record.number) < (right.record.usage.lastWanted, right.record.number)
        }?.key
    }

    /// The database that has most of these, and no fewer than so many.
    private static func most(_ keys: [IndexRegistry.Key], than least: Int) -> DatabaseHandle? {
        var counts: [DatabaseHandle: Int] = [:]
        for key in keys { counts[key.database, default: 0] += 1 }
        let most = counts.max { left, right in
            if left.value != right.value { return left.value < right.value }
            return left.key.name.bytes.lexicographicallyPrecedes(right.key.name.bytes)
        }
        return most.flatMap { $0.value >= least ? $0.key : nil }
    }
}
