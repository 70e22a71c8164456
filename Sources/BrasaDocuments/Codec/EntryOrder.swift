/// Map entries in canonical order.
enum EntryOrder {
    /// Longer maps than this are sorted by the library, which costs more to set up.
    private static let insertionCountMax = 16

    /// Sorted by key; of equal keys the last on the wire stays.
    static func sorted(_ entries: [EntryParts], of memory: WireReader) -> [EntryParts] {
        var sorted = entries
        if entries.count <= self.insertionCountMax {
            for index in entries.indices.dropFirst() {
                let entry = sorted[index]
                var place = index
                while place > 0, self.compare(entry, sorted[place - 1], memory) == .ascending {
                    sorted[place] = sorted[place - 1]
                    place -= 1
                }
                sorted[place] = entry
            }
        } else {
            let order = entries.indices.sorted { left, right in
                switch self.compare(entries[left], entries[right], memory) {
                case .ascending: true
                case .descending: false
                case .same: left < right
                }
            }
            sorted = order.map { entries[$0] }
        }
        var count = 0
        for entry in sorted {
            if count > 0, self.compare(sorted[count - 1], entry, memory) == .same { count -= 1 }
            sorted[count] = entry
            count += 1
        }
        sorted.removeLast(sorted.count - count)
        return sorted
    }

    private static func compare(_ left: EntryParts, _ right: EntryParts, _ memory: WireReader) -> Ordering {
        ByteOrder.compare(memory.slice(left.key), memory.slice(right.key))
    }
}
