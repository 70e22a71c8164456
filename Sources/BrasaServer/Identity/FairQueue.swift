import NIOCore

/// What waits, by whom it is for: each has its turn, however much others bring, and no more than a part of the places. When
/// all are taken, who has most gives one to who has less.
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

    enum Place {
        case free
        /// It was another's, the last of whoever had most.
        case of(Element)
        case none
    }

    /// - Parameter isBounded: by the part of the places that one may have. What comes back has been let in before.
    mutating func append(_ element: Element, for key: Key, isBounded: Bool = true) -> Place {
        let waiting = self.queues[key]?.count ?? 0
        guard waiting < self.countPerKeyMax || !isBounded else { return .none }
        var place = Place.free
        if self.count >= self.countMax {
            guard let removed = self.removeLast(ofMoreThan: waiting + 1) else { return .none }
            place = .of(removed)
        }
        if waiting == 0 { self.turns.append(key) }
        self.queues[key, default: CircularBuffer()].append(element)
        self.count += 1
        return place
    }

    /// Of the longest queue, which keeps its turn: it has more.
    private mutating func removeLast(ofMoreThan count: Int) -> Element? {
        guard let (key, queue) = self.queues.max(by: { $0.value.count < $1.value.count }), queue.count > count,
            let removed = self.queues[key]?.popLast()
        else { return nil }
        self.count -= 1
        return removed
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

extension FairQueue.Place: Sendable where Element: Sendable {}
