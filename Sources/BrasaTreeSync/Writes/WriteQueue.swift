import BrasaTree

/// Writes without an answer, in order, to be found by their places.
struct WriteQueue: Sendable {
    private var writes: [Int: PendingWrite] = [:]
    private var places = PathTree<Set<Int>>()

    var all: [PendingWrite] { self.writes.values.sorted { $0.id < $1.id } }

    subscript(id: Int) -> PendingWrite? { self.writes[id] }

    mutating func append(_ write: PendingWrite) {
        self.writes[write.id] = write
        for placement in write.change.placements {
            self.places.update(at: placement.location.path) { branch in
                if branch.value == nil { branch.value = [] }
                branch.value?.insert(write.id)
            }
        }
    }

    mutating func remove(_ id: Int) -> PendingWrite? {
        guard let write = self.writes.removeValue(forKey: id) else { return nil }
        for placement in write.change.placements {
            self.places.update(at: placement.location.path) { branch in
                branch.value?.remove(id)
                if branch.value?.isEmpty ?? false { branch.value = nil }
            }
        }
        return write
    }

    /// Those that write above a path, at it or beneath, in order.
    func touching(_ path: TreePath) -> [PendingWrite] {
        var ids: Set<Int> = []
        _ = self.places.first(onWayTo: path) { value in
            ids.formUnion(value)
            return false
        }
        self.places.branch(at: path)?.forEach { ids.formUnion($1) }
        return ids.sorted().compactMap { self.writes[$0] }
    }
}
