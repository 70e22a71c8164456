extension Dictionary {
    /// After a removal: a dictionary keeps the room of its peak, so one that uses less than a quarter of it is made anew,
    /// unless it has room for few anyhow.
    /// Complexity: O(1) amortised; it has to lose three quarters again.
    package mutating func letRoomGo() {
        guard self.capacity > 4 * self.count + dictionaryRoomMin else { return }
        var smaller = Self(minimumCapacity: self.count)
        for (key, value) in self { smaller[key] = value }
        self = smaller
    }
}

private let dictionaryRoomMin = 1024
