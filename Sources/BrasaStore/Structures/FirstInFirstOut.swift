/// A queue that is also read by index, oldest first.
struct FirstInFirstOut<Element> {
    private var elements: [Element?] = []
    private var head = 0

    init() {}

    var count: Int { self.elements.count - self.head }
    var isEmpty: Bool { self.count == 0 }
    var first: Element? { self.isEmpty ? nil : self.elements[self.head] }

    /// Traps when out of bounds, as an array does.
    subscript(_ index: Int) -> Element {
        guard index >= 0, let element = self.elements[self.head + index] else {
            preconditionFailure("the elements from `head` on are there")
        }
        return element
    }

    mutating func append(_ element: Element) {
        self.elements.append(element)
    }

    /// Complexity: O(1) amortised; the emptied half is given back.
    mutating func popFirst() -> Element? {
        guard !self.isEmpty else { return nil }
        let element = self.elements[self.head]
        self.elements[self.head] = nil
        self.head += 1
        if self.head == self.elements.count {
            self.elements = []
            self.head = 0
        } else if self.head >= 64, self.head > self.elements.count / 2 {
            self.elements = Array(self.elements[self.head...])
            self.head = 0
        }
        return element
    }

    /// At most `count` elements are there to remove.
    mutating func removeLast(_ count: Int) {
        self.elements.removeLast(count)
    }

    /// Index of the first element that is not before the place; `isBefore` holds for a prefix of the elements.
    func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = self.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
