/// Who holds one document. In no particular order, but the same in every run.
///
/// Complexity: O(1), however many transactions read the same document.
struct LockHolders {
    struct Holder {
        let owner: LockOwner
        let mode: LockMode
    }

    private(set) var all: [Holder] = []
    /// Where in `all` an owner is; only while there are more than `scannedMax`.
    private var indices: [ObjectIdentifier: Int] = [:]
    private static let scannedMax = 8

    var isEmpty: Bool { self.all.isEmpty }
    /// The holder if there is just one.
    var only: Holder? { self.all.count == 1 ? self.all[0] : nil }

    func mode(of owner: LockOwner) -> LockMode? {
        self.index(of: owner).map { self.all[$0].mode }
    }

    mutating func add(_ owner: LockOwner, _ mode: LockMode) {
        self.all.append(Holder(owner: owner, mode: mode))
        if self.all.count == Self.scannedMax + 1 {
            for (index, holder) in self.all.enumerated() { self.indices[ObjectIdentifier(holder.owner)] = index }
        } else if self.all.count > Self.scannedMax {
            self.indices[ObjectIdentifier(owner)] = self.all.count - 1
        }
    }

    mutating func remove(_ owner: LockOwner) {
        guard let index = self.index(of: owner) else { return }
        let wasIndexed = self.all.count > Self.scannedMax
        self.all.swapAt(index, self.all.count - 1)
        self.all.removeLast()
        if self.all.count <= Self.scannedMax {
            if wasIndexed { self.indices = [:] }
            return
        }
        self.indices[ObjectIdentifier(owner)] = nil
        if index < self.all.count { self.indices[ObjectIdentifier(self.all[index].owner)] = index }
    }

    private func index(of owner: LockOwner) -> Int? {
        if self.all.count > Self.scannedMax { return self.indices[ObjectIdentifier(owner)] }
        return self.all.firstIndex { $0.owner === owner }
    }
}
