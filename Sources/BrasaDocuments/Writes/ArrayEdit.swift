/// An array under several array transforms in a row. Elements are found by hash, so that each transform costs what it says
/// and not what the array holds.
struct ArrayEdit: Sendable {
    /// Nil: removed.
    private var elements: [Value?]
    /// The first place of each element, and from each place the next one with an equal element.
    private var places: [Value: Int] = [:]
    private var next: [Int?]

    init(_ value: Value?) {
        let old: [Value] = if case .array(let elements)? = value { elements } else { [] }
        self.elements = old
        self.next = Array(repeating: nil, count: old.count)
        for (index, element) in old.enumerated().reversed() {
            self.next[index] = self.places.updateValue(index, forKey: element)
        }
    }

    /// About what it takes beside the array's own bytes.
    var workBytes: Int { self.elements.count * WorkBytes.element }

    var value: Value { .array(self.elements.compactMap(\.self)) }

    /// Those that are not there yet, in order.
    mutating func append(_ new: [Value]) {
        for element in new where self.places[element] == nil {
            self.places[element] = self.elements.count
            self.elements.append(element)
            self.next.append(nil)
        }
    }

    mutating func removeAll(_ unwanted: [Value]) {
        for element in unwanted {
            var place = self.places.removeValue(forKey: element)
            while let index = place {
                self.elements[index] = nil
                place = self.next[index]
            }
        }
    }
}
