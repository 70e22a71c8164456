/// A queue in an array. Complexity: O(1) amortised at both ends.
struct FirstInFirstOut<Element> {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { self.elements.count - self.head }
    var first: Element? { self.head < self.elements.count ? self.elements[self.head] : nil }

    mutating func append(_ element: Element) {
        self.elements.append(element)
    }

    mutating func removeFirst() {
        self.head += 1
        if self.head * 2 > self.elements.count {
            self.elements.removeFirst(self.head)
            self.head = 0
        }
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        self.elements.removeFirst(self.head)
        self.head = 0
        self.elements.removeAll(where: isUnwanted)
    }
}
