import BrasaTree

/// What a disk has of the open listens, and what it has to be told.
struct StorageNotes: Sendable {
    var changes: [StoredChange] = []
    /// Where listens are of which something else may be known than the disk has.
    var touched: Set<TreePath> = []
    /// What the disk has of targets that are listened to. It shares what has not changed with what is known.
    private var kept: [TreeTarget: TreeNode] = [:]

    mutating func begin(_ target: TreeTarget, _ stored: StoredNode?) {
        self.touched.insert(target.path)
        guard let own = stored?.own else { return }
        self.kept[target] = own
        self.changes.append(.used(target))
    }

    /// The server has answered a listen.
    mutating func confirm(_ target: TreeTarget) {
        if self.kept[target] != nil { self.changes.append(.confirmed(target)) }
    }

    mutating func end(_ target: TreeTarget, isForgotten: Bool = false) {
        if self.kept.removeValue(forKey: target) != nil || isForgotten {
            self.changes.append(isForgotten ? .forgotten(target) : .closed(target))
        }
    }

    /// Brings the disk to what is known of a target.
    mutating func compare(_ target: TreeTarget, with known: TreeNode?) {
        guard let known else {
            if self.kept[target] != nil { self.end(target, isForgotten: true) }
            return
        }
        let placements =
            self.kept[target].map { known.placements(from: $0, at: target.path) }
            ?? [TreeChange.Placement(location: TreeLocation(target.path), node: known)]
        self.kept[target] = known
        if !placements.isEmpty { self.changes.append(.set(target, placements)) }
    }
}
