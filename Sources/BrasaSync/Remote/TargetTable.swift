internal import BrasaDocuments

/// Targets with their newest resume tokens.
///
/// The server gives most of its tokens to all targets at once. Such a token is kept once, beside the targets that follow it,
/// so that an event costs by the targets that it is about.
struct TargetTable {
    private var targets: [TargetID: TargetData] = [:]
    private var followers: Set<TargetID> = []
    private var shared: (version: Timestamp, token: [UInt8]) = (.zero, [])
    private var connection: UInt64 = 0

    var isEmpty: Bool { self.targets.isEmpty }
    var ids: Dictionary<TargetID, TargetData>.Keys { self.targets.keys }

    /// Setting the data of a target says nothing about what it follows.
    subscript(id: TargetID) -> TargetData? {
        get { self.targets[id].map(self.withSharedToken) }
        set {
            self.targets[id] = newValue
            if newValue == nil { self.followers.remove(id) }
        }
    }

    func contains(_ id: TargetID) -> Bool { self.targets.index(forKey: id) != nil }
    func purpose(of id: TargetID) -> TargetData.Purpose? { self.targets[id]?.purpose }
    func subject(of id: TargetID) -> SyncTarget? { self.targets[id]?.target }

    /// Those whose newest token is the shared one, with it.
    var following: [TargetData] { self.followers.compactMap { self[$0] } }

    /// Takes the tokens of an event. `changed` are the targets that it speaks of, as they are after it.
    mutating func advance(_ event: RemoteEvent, changed: [TargetData]) {
        if let connection = event.connection, connection != self.connection {
            self.connection = connection
            for id in self.followers { self.leave(id) }
        }
        for id in event.unshared { self.leave(id) }
        for id in event.mismatches.keys { self.leave(id) }
        for data in changed where self.contains(data.id) { self.targets[data.id] = data }
        guard !event.sharedToken.isEmpty else { return }
        self.shared = (event.snapshotVersion, event.sharedToken)
        for id in event.targetChanges.keys where event.mismatches[id] == nil && self.contains(id) {
            self.followers.insert(id)
        }
    }

    /// Keeps the token that it had.
    private mutating func leave(_ id: TargetID) {
        guard self.followers.contains(id) else { return }
        self.targets[id] = self[id]
        self.followers.remove(id)
    }

    private func withSharedToken(_ data: TargetData) -> TargetData {
        guard self.shared.version > data.snapshotVersion, self.followers.contains(data.id) else { return data }
        var data = data
        data.resume(at: self.shared.version, token: self.shared.token)
        return data
    }
}
