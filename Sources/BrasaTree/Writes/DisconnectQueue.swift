/// What a session has asked to be written when it ends, in order, without what later writes replace.
package struct DisconnectQueue: Sendable {
    package private(set) var writes: [TreeWrite]

    package init(_ writes: [TreeWrite] = []) {
        self.writes = writes
    }

    package var isEmpty: Bool { self.writes.isEmpty }

    /// Places that are written.
    package var count: Int { self.writes.reduce(0) { $0 + $1.assignments.count } }

    /// How large what is written is, roughly.
    package var bytes: Int {
        self.writes.reduce(0) { $0 + $1.assignments.reduce(0) { $0 + $1.template.estimate } }
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

    /// Takes a place out of everything that would write it: of a set above, the rest remains, child by child.
    package mutating func cancel(at path: TreePath) {
        self.drop(DisjointPlaces([TreeLocation(path)]))
        self.writes = self.writes.compactMap { write in
            guard write.assignments.contains(where: { $0.location.isAbove(path) }) else { return write }
            return write.replacing { assignment in
                assignment.location.isAbove(path) ? assignment.without(path) : [assignment]
            }
        }
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

extension TreeLocation {
    fileprivate func isAbove(_ path: TreePath) -> Bool {
        !self.isPriority && self.path != path && self.path.contains(path)
    }
}
