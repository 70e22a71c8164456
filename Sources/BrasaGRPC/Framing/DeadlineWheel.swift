/// What can have a deadline: a call. It carries its links itself, so that setting and lifting a deadline allocates nothing.
package class DeadlineEntry {
    /// When it is due.
    fileprivate(set) var tick: UInt64 = 0
    /// Where it stands in the wheel; nil when it has no deadline.
    fileprivate var place: Int?
    // Links of a slot, which owns its entries.
    fileprivate var next: DeadlineEntry?
    fileprivate unowned(unsafe) var previous: DeadlineEntry?

    init() {}

    var hasDeadline: Bool { self.place != nil }

    /// The deadline has passed; it is lifted already.
    func deadlineExpired() {}
}

/// Entries by the tick at which they are due, in a hierarchy of wheels: of 64 slots each, a slot of one being a turn of the
/// one below. Insertion and removal take a few steps whatever their number; an entry is moved at most once per level on
/// its way to the end, and almost all are removed long before.
///
/// Six levels reach 64⁶ ticks ahead (two years of milliseconds); what is due later goes round until it is in reach.
struct DeadlineWheel {
    private static var levels: Int { 6 }
    private static var bits: Int { 6 }
    /// A slot less than a turn of the highest wheel: the slot of the present is never one of the future.
    private static var reach: UInt64 { 63 << UInt64((Self.levels - 1) * Self.bits) }

    /// By level and slot: the first entry of each.
    private var slots: [DeadlineEntry?] = Array(repeating: nil, count: Self.levels << Self.bits)
    /// By level: which slots have entries.
    private var occupied = SIMD8<UInt64>.zero
    /// Nothing is due before, but what stands in this very slot.
    private var now: UInt64 = 0
    private(set) var count = 0

    /// - Parameter now: the present tick. What is due at it or before comes one tick later.
    mutating func insert(_ entry: DeadlineEntry, at tick: UInt64, now: UInt64) {
        if self.count == 0 { self.now = max(self.now, now) }
        self.remove(entry)
        entry.tick = max(tick, self.now + 1)
        self.place(entry)
        self.count += 1
    }

    /// Without effect on what has no deadline.
    mutating func remove(_ entry: DeadlineEntry) {
        guard let place = entry.place else { return }
        let next = entry.next
        if let previous = entry.previous {
            previous.next = next
        } else {
            self.slots[place] = next
            if next == nil { self.occupied[place >> Self.bits] &= ~(1 << UInt64(place & 63)) }
        }
        next?.previous = entry.previous
        entry.next = nil
        entry.previous = nil
        entry.place = nil
        self.count -= 1
    }

    /// When to look again: not after anything is due.
    var nextTick: UInt64? { self.nextSlot?.tick }

    /// An entry that is due by then, the earliest first. It has left the wheel.
    mutating func popExpired(by tick: UInt64) -> DeadlineEntry? {
        while let slot = self.nextSlot, slot.tick <= tick {
            self.now = slot.tick
            guard let entry = self.slots[slot.place] else { break }
            if slot.place < 1 << Self.bits {
                self.remove(entry)
                return entry
            }
            self.spread(slot.place)
        }
        self.now = max(self.now, tick)
        return nil
    }

    /// Moves the entries of a slot whose time has begun to the levels below.
    private mutating func spread(_ place: Int) {
        while let entry = self.slots[place] {
            self.remove(entry)
            self.place(entry)
            self.count += 1
        }
    }

    private mutating func place(_ entry: DeadlineEntry) {
        let tick = min(entry.tick, self.now + Self.reach)
        let distance = (tick ^ self.now) | 63
        let level = min((63 - distance.leadingZeroBitCount) / Self.bits, Self.levels - 1)
        let slot = Int(truncatingIfNeeded: tick >> UInt64(level * Self.bits)) & 63
        let place = level << Self.bits | slot
        entry.place = place
        entry.next = self.slots[place]
        entry.next?.previous = entry
        self.slots[place] = entry
        self.occupied[level] |= 1 << UInt64(slot)
    }

    /// The first slot with entries, and when its time begins. Whatever stands on a higher level comes later.
    private var nextSlot: (place: Int, tick: UInt64)? {
        for level in 0..<Self.levels where self.occupied[level] != 0 {
            let shift = UInt64(level * Self.bits)
            let current = self.now >> shift & 63
            let slots = self.occupied[level]
            let turned = slots >> current | slots << ((64 - current) & 63)
            let slot = (UInt64(turned.trailingZeroBitCount) + current) & 63
            let turn: UInt64 = 1 << (shift + UInt64(Self.bits))
            var tick = self.now & ~(turn - 1) | slot << shift
            if tick < self.now { tick += turn }
            return (level << Self.bits | Int(truncatingIfNeeded: slot), tick)
        }
        return nil
    }
}
