import NIOCore

/// What waits, by whom it is for: each has its turn, however much others bring, and no more than a part of the places.
struct FairQueue<Key: Hashable, Element> {
    private let countMax: Int
    private let countPerKeyMax: Int
    private var count = 0
    private var queues: [Key: CircularBuffer<Element>] = [:]
    /// Those that have something waiting, in the order of their turns.
    private var turns = CircularBuffer<Key>()

    init(countMax: Int, countPerKeyMax: Int) {
        self.countMax = countMax
        self.countPerKeyMax = countPerKeyMax
    }

    /// False: there is no place.
    mutating func append(_ element: Element, for key: Key) -> Bool {
        let waiting = self.queues[key]?.count ?? 0
        guard self.count < self.countMax, waiting < self.countPerKeyMax else { return false }
        if waiting == 0 { self.turns.append(key) }
        self.queues[key, default: CircularBuffer()].append(element)
        self.count += 1
        return true
    }

    mutating func popFirst() -> Element? {
        guard let key = self.turns.popFirst(), let element = self.queues[key]?.popFirst() else { return nil }
        self.count -= 1
        if self.queues[key]?.isEmpty == true {
            self.queues[key] = nil
        } else {
            self.turns.append(key)
        }
        return element
    }
}

extension FairQueue: Sendable where Key: Sendable, Element: Sendable {}
