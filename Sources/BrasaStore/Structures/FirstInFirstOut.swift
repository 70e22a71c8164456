/// A queue that is also read by index, oldest first.
///
/// The elements lie in chunks and stay where they are: growing copies a chunk at most, or a reference to each chunk, and
/// shrinking nothing. So nobody who waits for the lock over a queue waits for all of it to be copied.
package struct FirstInFirstOut<Element> {
    /// A ring: those in use begin at `firstChunk`; the others are empty. Nil elements are taken out already.
    private var chunks: [[Element?]] = []
    private var firstChunk = 0
    /// Of the oldest element in the first chunk.
    private var head = 0
    package private(set) var count = 0
    /// How many elements and chunks growth has moved to another place. Counted for tests.
    private(set) var moves = 0

    static var chunkSize: Int { 512 }

    package init() {}

    package var isEmpty: Bool { self.count == 0 }
    package var first: Element? { self.isEmpty ? nil : self[0] }
    package var last: Element? { self.isEmpty ? nil : self[self.count - 1] }

    /// Traps when out of bounds, as an array does.
    package subscript(_ index: Int) -> Element {
        let (chunk, offset) = self.place(index)
        guard index >= 0, index < self.count, let element = self.chunks[chunk][offset] else {
            preconditionFailure("the elements from `head` on are there")
        }
        return element
    }

    /// Changes an element where it lies.
    package mutating func update(_ index: Int, _ change: (inout Element) -> Void) {
        let (chunk, offset) = self.place(index)
        guard index >= 0, index < self.count, var element = self.chunks[chunk][offset].take() else {
            preconditionFailure("the elements from `head` on are there")
        }
        change(&element)
        self.chunks[chunk][offset] = element
    }

    package mutating func append(_ element: Element) {
        if self.head + self.count == self.chunks.count * Self.chunkSize { self.makeRoom() }
        let (chunk, offset) = self.place(self.count)
        if offset == self.chunks[chunk].capacity { self.moves += offset }
        self.chunks[chunk].append(element)
        self.count += 1
    }

    /// An emptied chunk is given back.
    @discardableResult
    package mutating func popFirst() -> Element? {
        guard self.count > 0 else { return nil }
        let element = self.chunks[self.firstChunk][self.head].take()
        self.head += 1
        self.count -= 1
        if self.head == Self.chunkSize {
            self.chunks[self.firstChunk] = []
            self.firstChunk = (self.firstChunk + 1) % self.chunks.count
            self.head = 0
            self.giveRoomBack()
        } else if self.isEmpty {
            self.chunks[self.firstChunk].removeAll(keepingCapacity: true)
            self.head = 0
        }
        return element
    }

    /// At most `count` elements are there to remove.
    package mutating func removeLast(_ count: Int) {
        for _ in 0..<count {
            self.chunks[self.place(self.count - 1).chunk].removeLast()
            self.count -= 1
        }
        // What is taken out before the head goes as well, so that the next element's place is the chunk's end.
        guard self.isEmpty, !self.chunks.isEmpty else { return }
        self.chunks[self.firstChunk].removeAll(keepingCapacity: true)
        self.head = 0
    }

    /// Complexity: O(n).
    package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        var kept = Self()
        for index in 0..<self.count where !isUnwanted(self[index]) { kept.append(self[index]) }
        kept.moves += self.moves + kept.count
        self = kept
    }

    /// Index of the first element that is not before the place; `isBefore` holds for a prefix of the elements.
    package func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = self.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func place(_ index: Int) -> (chunk: Int, offset: Int) {
        let (chunk, offset) = (self.head + index).quotientAndRemainder(dividingBy: Self.chunkSize)
        let place = self.firstChunk + chunk
        return (place < self.chunks.count ? place : place - self.chunks.count, offset)
    }

    /// All chunks are in use.
    private mutating func makeRoom() { self.moveChunks(toRingOf: max(1, self.chunks.count * 2)) }

    /// The ring halves when three quarters of it are empty.
    private mutating func giveRoomBack() {
        let used = (self.head + self.count + Self.chunkSize - 1) / Self.chunkSize
        guard self.chunks.count >= Self.ringMin, used * 4 <= self.chunks.count else { return }
        self.moveChunks(toRingOf: self.chunks.count / 2)
    }

    /// All chunks in use fit.
    private mutating func moveChunks(toRingOf count: Int) {
        var ring: [[Element?]] = []
        ring.reserveCapacity(count)
        for offset in 0..<min(count, self.chunks.count) {
            ring.append(self.chunks[(self.firstChunk + offset) % self.chunks.count])
        }
        self.moves += ring.count
        while ring.count < count { ring.append([]) }
        self.chunks = ring
        self.firstChunk = 0
    }

    private static var ringMin: Int { 8 }
    /// Counted for tests.
    var ringCount: Int { self.chunks.count }
}
