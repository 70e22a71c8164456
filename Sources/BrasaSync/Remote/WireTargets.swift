/// Which ids targets have on the wire. Every time that a target is listened to it gets a new one, so that what the server
/// says of a target before it has read our last request cannot be mistaken.
struct WireTargets {
    private var wireIDs: [TargetID: TargetID] = [:]
    private var targets: [TargetID: TargetID] = [:]
    /// Above what the target cache hands out in a lifetime; parity as the engine's ids have it.
    private var nextEven: TargetID = 1002
    private var nextOdd: TargetID = 1003

    func wireID(of target: TargetID) -> TargetID? { self.wireIDs[target] }

    /// Those that are not listened to any more are left out.
    func targets(of wireIDs: [TargetID]) -> [TargetID] { wireIDs.compactMap { self.targets[$0] } }

    mutating func add(_ target: TargetID) {
        let isEven = target % 2 == 0
        let id = isEven ? self.nextEven : self.nextOdd
        if isEven { self.nextEven += 2 } else { self.nextOdd += 2 }
        self.wireIDs[target] = id
        self.targets[id] = target
    }

    mutating func remove(_ target: TargetID) -> TargetID? {
        guard let id = self.wireIDs.removeValue(forKey: target) else { return nil }
        self.targets[id] = nil
        return id
    }
}
