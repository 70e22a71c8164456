/// Which ids targets have on the wire. Every time that a target is listened to it gets a new one, so that what the server
/// says of a target before it has read our last request cannot be mistaken. After the greatest id comes the smallest again;
/// by then nobody remembers what it was used for.
struct WireTargets {
    private var wireIDs: [TargetID: WireTargetID] = [:]
    private var targets: [WireTargetID: TargetID] = [:]
    private let greatest: WireTargetID
    private var last: WireTargetID = 0

    init(greatest: WireTargetID = .max) {
        self.greatest = greatest
    }

    func wireID(of target: TargetID) -> WireTargetID? { self.wireIDs[target] }

    /// Those that are not listened to any more are left out.
    func targets(of wireIDs: [WireTargetID]) -> [TargetID] { wireIDs.compactMap { self.targets[$0] } }

    mutating func add(_ target: TargetID) {
        repeat {
            self.last = self.last >= self.greatest ? 1 : self.last + 1
        } while self.targets[self.last] != nil
        self.wireIDs[target] = self.last
        self.targets[self.last] = target
    }

    mutating func remove(_ target: TargetID) -> WireTargetID? {
        guard let id = self.wireIDs.removeValue(forKey: target) else { return nil }
        self.targets[id] = nil
        return id
    }
}
