/// What a session has asked to be written when it ends, in order, without what later writes replace.
package struct DisconnectQueue: Sendable {
    package private(set) var writes: [TreeWrite]

    package init(_ writes: [TreeWrite] = []) {
        self.writes = writes
    }

    package var isEmpty: Bool { self.writes.isEmpty }

    /// Places that are written.
    package var count: Int { self.writes.reduce(0) { $0 + $1.assignments.count } }

    /// How large what is written is, roughly, as JSON.
    package var bytes: Int {
        self.writes.reduce(0) { $0 + $1.assignments.reduce(0) { $0 + $1.template.estimate } }
    }

    /// What it takes in memory, about.
    package var keptBytes: Int {
        self.writes.reduce(0) { $0 + 128 + $1.assignments.reduce(0) { $0 + 128 + $1.keptBytes } }
    }

    /// Places and server's values that are put into the tree one by one.
    package var placements: Int {
        self.writes.reduce(0) { $0 + $1.assignments.reduce(0) { $0 + 1 + ($1.template.serverValues?.count ?? 0) } }
    }

    /// A set replaces what was there at its place and beneath; an update does so for each of its paths.
    /// Of nothing, nothing is kept.
    /// Complexity: O((n + m) · log m), for n places that are kept and m that are written.
    package mutating func add(_ write: TreeWrite) {
        guard !write.assignments.isEmpty else { return }
        self.drop(DisjointPlaces(write.assignments.map(\.location)))
        self.writes.append(write)
    }

    /// Takes a place out of everything that would write it: of a set above, the rest remains, child by child. Of a priority,
    /// sets remain that do not give it.
    package mutating func cancel(at place: TreeLocation) {
        self.writes = self.writes.compactMap { write in
            guard write.assignments.contains(where: { $0.meets(place) }) else { return write }
            return write.replacing { $0.without(place) }
        }
    }

    /// What `count` would be without a place, found out without taking sets apart; nil when nothing would change.
    ///
    /// - Parameter limit: what is above is not counted to its end.
    /// Complexity: O(n · depth) for n places that are kept, and what the server works out beside the way, up to the limit.
    package func count(cancelling place: TreeLocation, upTo limit: Int) -> Int? {
        var count = 0
        var changesSomething = false
        for assignment in self.writes.lazy.flatMap(\.assignments) {
            let parts = assignment.count(without: place, upTo: limit)
            count += parts ?? 1
            if parts != nil { changesSomething = true }
        }
        return changesSomething ? count : nil
    }

    private mutating func drop(_ places: DisjointPlaces) {
        self.writes = self.writes.compactMap { write in
            var hasCovered = false
            let rest = write.replacing { assignment in
                guard places.cover(assignment.location) else { return [assignment] }
                hasCovered = true
                return []
            }
            return hasCovered ? rest : write
        }
    }
}

/// Places of which none is another's ancestor, as those of one write are: so what covers a place is in their order right
/// before it, or nothing does.
private struct DisjointPlaces {
    /// Priorities below their nodes.
    private let sorted: [[TreeText]]

    init(_ places: [TreeLocation]) {
        self.sorted = places.map(\.segments).sorted(by: Self.precedes)
    }

    /// Whether a write to one of them replaces that place.
    func cover(_ place: TreeLocation) -> Bool {
        let segments = place.segments
        var (low, high) = (0, self.sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(segments, self.sorted[middle]) { high = middle } else { low = middle + 1 }
        }
        return low > 0 && segments.starts(with: self.sorted[low - 1])
    }

    private static func precedes(_ left: [TreeText], _ right: [TreeText]) -> Bool {
        left.lexicographicallyPrecedes(right) { TreeKey.compare($0, $1) < 0 }
    }
}
