/// What waits for its part of a turn, first come, first served.
struct WorkQueue<Element> {
    private var elements: ArraySlice<Element> = []

    var isEmpty: Bool { self.elements.isEmpty }

    var count: Int { self.elements.count }

    mutating func append(_ element: Element) {
        self.elements.append(element)
    }

    mutating func popFirst() -> Element? { self.elements.popFirst() }

    /// Everything that waits now; what is not done of it is put back.
    mutating func takeAll() -> ArraySlice<Element> {
        let taken = self.elements
        self.elements = []
        return taken
    }

    mutating func putBack(_ rest: ArraySlice<Element>) {
        self.elements = rest + self.elements
    }
}
