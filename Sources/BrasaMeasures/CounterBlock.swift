import Synchronization

/// Numbers in one block of memory, added to by one thread at a time and read by any: without a lock, and without the locked
/// instructions that counters shared by several writers need. A reader may miss what is just being added.
package final class CounterBlock: @unchecked Sendable {
    // Unchecked because of the pointer: what it points to are atomics.
    private let cells: UnsafeMutablePointer<Atomic<Int>>
    package let count: Int

    package init(count: Int) {
        self.count = count
        self.cells = .allocate(capacity: count)
        for index in 0..<count { (self.cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        self.cells.deinitialize(count: self.count)
        self.cells.deallocate()
    }

    package func add(_ amount: Int, at index: Int) {
        precondition(index >= 0 && index < self.count, "a counter that is not there")
        let value = self.cells[index].load(ordering: .relaxed)
        self.cells[index].store(value &+ amount, ordering: .relaxed)
    }

    package subscript(index: Int) -> Int {
        precondition(index >= 0 && index < self.count, "a counter that is not there")
        return self.cells[index].load(ordering: .relaxed)
    }
}
