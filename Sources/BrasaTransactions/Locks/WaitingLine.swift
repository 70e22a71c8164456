protocol Waiting {
    var request: LockRequest { get }
}

/// Requests in the order of their priority. Those that no longer wait are passed over, and thrown out when they are the
/// greater part, so that leaving costs nothing.
///
/// Complexity: joining is O(the line) from its young end, where newcomers belong; leaving is O(1) amortised.
struct WaitingLine<Element: Waiting> {
    private var elements: [Element] = []
    /// Before this nobody waits any more.
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }
    /// Those that wait, oldest first.
    var all: [Element] { self.elements[self.head...].filter { $0.request.isWaiting } }

    mutating func join(_ element: Element) {
        let priority = element.request.owner.priority
        var index = self.elements.endIndex
        while index > self.head, priority < self.elements[index - 1].request.owner.priority { index -= 1 }
        self.elements.insert(element, at: index)
        self.count += 1
    }

    /// One of them waits no longer, and says so itself (`LockRequest.isWaiting`).
    mutating func hasLeft() {
        self.count -= 1
        while self.head < self.elements.count, !self.elements[self.head].request.isWaiting { self.head += 1 }
        guard self.elements.count > 2 * self.count + 8 else { return }
        self.elements.removeAll { !$0.request.isWaiting }
        self.head = 0
    }

    /// Those that wait and are not older than `priority`, oldest first, until `body` returns false. Returns false when it
    /// did.
    ///
    /// Complexity: O(log the line) to the first.
    func forEach(from priority: LockPriority? = nil, _ body: (Element) -> Bool) -> Bool {
        for index in self.start(priority)..<self.elements.count {
            let element = self.elements[index]
            guard element.request.isWaiting else { continue }
            guard body(element) else { return false }
        }
        return true
    }

    /// Whether none is younger than `priority`; perhaps false when one was and has left.
    func isYoungest(_ priority: LockPriority) -> Bool {
        self.elements.last.map { $0.request.owner.priority <= priority } ?? true
    }

    private func start(_ priority: LockPriority?) -> Int {
        guard let priority else { return self.head }
        var (low, high) = (self.head, self.elements.count)
        while low < high {
            let middle = low + (high - low) / 2
            if self.elements[middle].request.owner.priority < priority { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
