import BrasaTree

/// What a session has asked to be written when it ends, in order, without what later writes replace.
struct DisconnectQueue: Sendable {
    private(set) var writes: [TreeWrite] = []

    /// Places that are written.
    var count: Int { self.writes.reduce(0) { $0 + $1.assignments.count } }

    /// How large what is written is, roughly.
    var bytes: Int {
        self.writes.reduce(0) { $0 + $1.assignments.reduce(0) { $0 + $1.template.estimate } }
    }

    /// A set replaces what was there at its place and beneath; an update does so for each of its paths.
    mutating func add(_ write: TreeWrite) {
        for assignment in write.assignments { self.drop(assignment.location) }
        self.writes.append(write)
    }

    /// Takes a place out of everything that would write it: of a set above, the rest remains, child by child.
    mutating func cancel(at path: TreePath) {
        self.drop(TreeLocation(path))
        self.writes = self.writes.compactMap { write in
            guard write.assignments.contains(where: { $0.location.isAbove(path) }) else { return write }
            return write.replacing { assignment in
                assignment.location.isAbove(path) ? assignment.without(path) : [assignment]
            }
        }
    }

    private mutating func drop(_ location: TreeLocation) {
        self.writes = self.writes.compactMap { write in
            guard write.assignments.contains(where: { location.covers($0.location) }) else { return write }
            return write.replacing { location.covers($0.location) ? [] : [$0] }
        }
    }
}

extension TreeLocation {
    /// Whether a set here replaces that place.
    fileprivate func covers(_ other: TreeLocation) -> Bool {
        self.isPriority ? self == other : self.path.contains(other.path)
    }

    fileprivate func isAbove(_ path: TreePath) -> Bool {
        !self.isPriority && self.path != path && self.path.contains(path)
    }
}
