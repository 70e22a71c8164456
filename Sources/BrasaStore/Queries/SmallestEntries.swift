import BrasaDocuments

/// Of the entries it is offered, those with the smallest keys: as many as it may hold. What it gives out is a run of the
/// order without gaps, since nothing is kept that comes after something left out.
struct SmallestEntries: Sendable {
    struct Element: Sendable {
        let key: OrderPreservingKey
        let path: ResourcePath
        let document: Document
    }

    /// A heap with the greatest key first.
    private var heap: [Element] = []
    private var keyBytes = 0
    /// The smallest key that was left out; nil when none was.
    private(set) var ceiling: OrderPreservingKey?
    private let countMax: Int
    private let keyBytesMax: Int

    init(countMax: Int, keyBytesMax: Int) {
        self.countMax = max(countMax, 1)
        self.keyBytesMax = keyBytesMax
    }

    var count: Int { self.heap.count }

    mutating func offer(_ element: Element) {
        if let ceiling = self.ceiling, !(element.key < ceiling) { return }
        self.heap.append(element)
        self.keyBytes += element.key.bytes.count
        self.siftUp(self.heap.count - 1)
        while self.heap.count > self.countMax || self.keyBytes > self.keyBytesMax && self.heap.count > 1 {
            self.removeGreatest()
        }
    }

    /// All that is held, in order. Holds nothing afterwards.
    mutating func removeAll() -> [Element] {
        defer { self = SmallestEntries(countMax: self.countMax, keyBytesMax: self.keyBytesMax) }
        return self.heap.sorted { $0.key < $1.key }
    }

    private mutating func removeGreatest() {
        let last = self.heap.count - 1
        self.heap.swapAt(0, last)
        let removed = self.heap.removeLast()
        self.keyBytes -= removed.key.bytes.count
        self.ceiling = removed.key
        self.siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard self.heap[parent].key < self.heap[index].key else { return }
            self.heap.swapAt(parent, index)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var greatest = index
            for child in [2 * index + 1, 2 * index + 2] where child < self.heap.count {
                if self.heap[greatest].key < self.heap[child].key { greatest = child }
            }
            if greatest == index { return }
            self.heap.swapAt(index, greatest)
            index = greatest
        }
    }
}
