/// Copies with no room to grow: what a page holds it holds for good, and Swift's own insertion would double the capacity.
extension Array {
    func inserting(_ element: Element, at index: Int) -> [Element] {
        var copy: [Element] = []
        copy.reserveCapacity(self.count + 1)
        copy += self[..<index]
        copy.append(element)
        copy += self[index...]
        return copy
    }

    func removing(at index: Int) -> [Element] {
        var copy: [Element] = []
        copy.reserveCapacity(self.count - 1)
        copy += self[..<index]
        copy += self[(index + 1)...]
        return copy
    }

    /// The first index for which the condition holds; it holds for a suffix.
    func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = self.count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
