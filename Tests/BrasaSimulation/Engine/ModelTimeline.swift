/// Every version of every document that became durable, by time. The whole database, in arrays.
struct ModelTimeline {
    private struct Version {
        let time: Int64
        let document: ModelDocument?
    }

    private var versions: [[Version]] = Array(repeating: [], count: ModelWorld.names.count)
    /// Times of the commits that changed something.
    private(set) var times: [Int64] = []

    mutating func add(_ changes: [Int: ModelDocument?], at time: Int64) {
        self.times.append(time)
        for (document, version) in changes { self.versions[document].append(Version(time: time, document: version)) }
    }

    func document(_ index: Int, at time: Int64) -> ModelDocument? {
        self.versions[index].last { $0.time <= time }?.document
    }

    func document(_ index: Int, before time: Int64) -> ModelDocument? {
        self.versions[index].last { $0.time < time }?.document
    }

    /// What the commit at exactly this time changed.
    func changes(at time: Int64) -> [Int: ModelDocument?] {
        var changes: [Int: ModelDocument?] = [:]
        for (document, versions) in self.versions.enumerated() {
            if let version = versions.last(where: { $0.time <= time }), version.time == time {
                changes[document] = .some(version.document)
            }
        }
        return changes
    }

    /// Moments from `time` to now, one for each different state.
    func moments(since time: Int64) -> [Int64] {
        var moments = [time]
        for next in self.times.reversed() {
            guard next > time else { break }
            moments.append(next)
        }
        return moments
    }
}
