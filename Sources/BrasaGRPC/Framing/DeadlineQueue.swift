/// Elements ordered by deadline: a binary heap of plain numbers with tickets, so that a call that ends early leaves at once
/// and a minute's worth of finished calls never gathers. Inserting later deadlines than before, the usual case, is O(1);
/// everything else O(log n).
struct DeadlineQueue<Element> {
    /// Identifies an element until it leaves.
    struct Ticket { fileprivate let slot: Int32 }

    private struct Entry {
        var deadline: UInt64
        var slot: Int32
    }

    private var heap: [Entry] = []
    /// By slot: where its entry stands in the heap.
    private var positions: [Int32] = []
    private var elements: [Element?] = []
    private var freeSlots: [Int32] = []

    var count: Int { self.heap.count }
    var earliest: UInt64? { self.heap.first?.deadline }

    mutating func insert(_ element: Element, deadline: UInt64) -> Ticket {
        let position = Int32(truncatingIfNeeded: self.heap.count)
        let slot: Int32
        if let free = self.freeSlots.popLast() {
            slot = free
            self.elements[Int(slot)] = element
            self.positions[Int(slot)] = position
        } else {
            slot = Int32(truncatingIfNeeded: self.elements.count)
            self.elements.append(element)
            self.positions.append(position)
        }
        self.heap.append(Entry(deadline: deadline, slot: slot))
        self.siftUp(from: self.heap.count - 1)
        return Ticket(slot: slot)
    }

    /// A ticket is good for one removal, here or by `popExpired`.
    mutating func remove(_ ticket: Ticket) {
        self.removeEntry(at: Int(self.positions[Int(ticket.slot)]))
    }

    /// The element with the earliest deadline, if that is not after `now`. It has left the queue: forget its ticket.
    mutating func popExpired(now: UInt64) -> Element? {
        guard let first = self.heap.first, first.deadline <= now else { return nil }
        let element = self.elements[Int(first.slot)]
        self.removeEntry(at: 0)
        return element
    }

    private mutating func removeEntry(at position: Int) {
        let slot = self.heap[position].slot
        self.elements[Int(slot)] = nil
        self.freeSlots.append(slot)
        let last = self.heap.removeLast()
        guard position < self.heap.count else { return }
        self.place(last, at: position)
        self.siftDown(from: position)
        self.siftUp(from: position)
    }

    private mutating func place(_ entry: Entry, at position: Int) {
        self.heap[position] = entry
        self.positions[Int(entry.slot)] = Int32(truncatingIfNeeded: position)
    }

    private mutating func siftUp(from start: Int) {
        var position = start
        let entry = self.heap[position]
        while position > 0 {
            let parent = (position - 1) / 2
            guard entry.deadline < self.heap[parent].deadline else { break }
            self.place(self.heap[parent], at: position)
            position = parent
        }
        if position != start { self.place(entry, at: position) }
    }

    private mutating func siftDown(from start: Int) {
        var position = start
        let entry = self.heap[position]
        while true {
            var child = 2 * position + 1
            guard child < self.heap.count else { break }
            if child + 1 < self.heap.count, self.heap[child + 1].deadline < self.heap[child].deadline { child += 1 }
            guard self.heap[child].deadline < entry.deadline else { break }
            self.place(self.heap[child], at: position)
            position = child
        }
        if position != start { self.place(entry, at: position) }
    }
}
