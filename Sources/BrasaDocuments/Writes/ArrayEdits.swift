/// The arrays of one document that are under transforms, by their paths, of which none leads to another.
struct ArrayEdits: Sendable {
    /// Sorted.
    private var paths: [FieldPath] = []
    /// Of the path at the same place.
    private var edits: [ArrayEdit] = []

    /// The array at the path itself.
    func index(of path: FieldPath) -> Int? {
        let index = self.paths.firstIndex(notBefore: path)
        return index < self.paths.count && self.paths[index] == path ? index : nil
    }

    subscript(index: Int) -> ArrayEdit {
        get { self.edits[index] }
        _modify { yield &self.edits[index] }
    }

    /// At a path that overlaps none of those that are here.
    mutating func insert(_ edit: ArrayEdit, at path: FieldPath) -> Int {
        let index = self.paths.firstIndex(notBefore: path)
        self.paths.insert(path, at: index)
        self.edits.insert(edit, at: index)
        return index
    }

    /// Removes those whose path is this one, leads to it or lies below it.
    mutating func take(overlapping path: FieldPath) -> [(path: FieldPath, edit: ArrayEdit)] {
        if self.paths.isEmpty { return [] }
        let range = self.paths.range(overlapping: path)
        if range.isEmpty { return [] }
        defer {
            self.paths.removeSubrange(range)
            self.edits.removeSubrange(range)
        }
        return range.map { (self.paths[$0], self.edits[$0]) }
    }

    consuming func takeAll() -> [(path: FieldPath, edit: ArrayEdit)] { Array(zip(self.paths, self.edits)) }
}

/// Sorted paths of which none leads to another.
extension RandomAccessCollection<FieldPath> where Index == Int {
    fileprivate func firstIndex(notBefore path: FieldPath) -> Int {
        var (low, high) = (self.startIndex, self.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < path { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Those that are `path`, lead to it or lie below it. Looks at O(log n) of them, and at those that it finds.
    func range(overlapping path: FieldPath) -> Range<Int> {
        let start = self.firstIndex(notBefore: path)
        // What lies between a path and one that leads to it would lie below the latter.
        if start > self.startIndex, self[start - 1].contains(path) { return start - 1..<start }
        var end = start
        while end < self.endIndex, path.contains(self[end]) { end += 1 }
        return start..<end
    }
}
