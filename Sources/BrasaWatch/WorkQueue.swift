/// What waits for its part of a turn, first come, first served.
struct WorkQueue<Element> {
    private var elements: ArraySlice<Element> = []

    var isEmpty: Bool { self.elements.isEmpty }

    mutating func append(_ element: Element) {
        self.elements.append(element)
    }

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
