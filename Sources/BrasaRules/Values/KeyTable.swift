/// Values by their hash, each once. Hashing and comparing are paid for like everything that looks into values, so values
/// that somebody chose for their equal hashes end a decision and hold nobody up.
struct KeyTable {
    /// `elements` or `order`.
    private let equality: Equality
    /// In the order in which they came.
    private(set) var values: [RuleValue] = []
    private var hashes: [Int] = []
    /// Places in `values`, counted from 1, by hash; empty as long as a few values are compared one by one.
    private var slots: [Int] = []

    private static let scannedCountMax = 8

    init(_ equality: Equality) {
        self.equality = equality
    }

    mutating func insert(_ list: RuleList, _ work: inout Work) throws(EvaluationError) {
        var cursor = list.cursor
        while let element = try cursor.next(&work) { try self.insert(element, &work) }
    }

    mutating func insert(_ value: RuleValue, _ work: inout Work) throws(EvaluationError) {
        if self.isLikeNothing(value) {
            try self.add(value, hash: 0, isFound: false, &work)
            return
        }
        if self.slots.isEmpty {
            for known in self.values where try self.equal(known, value, &work) { return }
            try self.add(value, hash: 0, isFound: false, &work)
            if self.values.count > Self.scannedCountMax { try self.grow(&work) }
            return
        }
        let hash = try Self.hash(value, &work)
        if try self.index(of: value, hash: hash, &work) != nil { return }
        try self.add(value, hash: hash, isFound: true, &work)
        if 2 * self.values.count > self.slots.count { try self.grow(&work) }
    }

    private mutating func add(
        _ value: RuleValue,
        hash: Int,
        isFound: Bool,
        _ work: inout Work
    ) throws(EvaluationError) {
        try work.spend(Work.element)
        self.values.append(value)
        self.hashes.append(hash)
        if isFound { try self.place(self.values.count, &work) }
    }

    private mutating func place(_ number: Int, _ work: inout Work) throws(EvaluationError) {
        let mask = self.slots.count - 1
        var slot = self.hashes[number - 1] & mask
        while self.slots[slot] != 0 {
            try work.spend(1)
            slot = (slot + 1) & mask
        }
        self.slots[slot] = number
    }

    private mutating func grow(_ work: inout Work) throws(EvaluationError) {
        let isFirst = self.slots.isEmpty
        let count = isFirst ? 4 * Self.scannedCountMax : 2 * self.slots.count
        try work.spend(Work.step * self.values.count + count / 8)
        self.slots = Array(repeating: 0, count: count)
        for (index, value) in self.values.enumerated() {
            if self.isLikeNothing(value) { continue }
            if isFirst { self.hashes[index] = try Self.hash(value, &work) }
            try self.place(index + 1, &work)
        }
    }

    /// The place of an equal value among `values`.
    func index(of value: RuleValue, _ work: inout Work) throws(EvaluationError) -> Int? {
        if self.slots.isEmpty {
            for (index, known) in self.values.enumerated() where try self.equal(known, value, &work) { return index }
            return nil
        }
        return try self.index(of: value, hash: try Self.hash(value, &work), &work)
    }

    private func index(of value: RuleValue, hash: Int, _ work: inout Work) throws(EvaluationError) -> Int? {
        let mask = self.slots.count - 1
        var slot = hash & mask
        while self.slots[slot] != 0 {
            let index = self.slots[slot] - 1
            try work.spend(1)
            if self.hashes[index] == hash, try self.equal(self.values[index], value, &work) { return index }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private func equal(_ left: RuleValue, _ right: RuleValue, _ work: inout Work) throws(EvaluationError) -> Bool {
        try work.spend(Work.step)
        return try RuleValue.equal(left, right, as: self.equality, &work)
    }

    /// Not a number, where it does not equal itself: it is looked for in vain.
    private func isLikeNothing(_ value: RuleValue) -> Bool {
        if case .float(let float) = value, float.isNaN { self.equality != .order } else { false }
    }

    private static func hash(_ value: RuleValue, _ work: inout Work) throws(EvaluationError) -> Int {
        try work.spend(Work.element)
        var hasher = Hasher()
        try value.hash(into: &hasher, &work)
        return hasher.finalize()
    }

    // MARK: Against lists

    func containsAny(of list: RuleList, _ work: inout Work) throws(EvaluationError) -> Bool {
        var cursor = list.cursor
        while let element = try cursor.next(&work) {
            if try self.index(of: element, &work) != nil { return true }
        }
        return false
    }

    func containsAll(of list: RuleList, _ work: inout Work) throws(EvaluationError) -> Bool {
        var cursor = list.cursor
        while let element = try cursor.next(&work) {
            if try self.index(of: element, &work) == nil { return false }
        }
        return true
    }

    /// Whether all values of the table are in the list.
    func isCovered(by list: RuleList, _ work: inout Work) throws(EvaluationError) -> Bool {
        var left = self.values.count
        try work.spend(left)
        var isSeen = Array(repeating: false, count: left)
        var cursor = list.cursor
        while left > 0, let element = try cursor.next(&work) {
            guard let index = try self.index(of: element, &work), !isSeen[index] else { continue }
            isSeen[index] = true
            left -= 1
        }
        return left == 0
    }
}
