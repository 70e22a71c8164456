internal import BrasaDocuments

/// Values in a row: computed, or a document's, which are decoded only where a rule looks.
package struct RuleList: Sendable {
    private enum Storage {
        case elements([RuleValue])
        case stored(EncodedElements)
    }

    private let storage: Storage

    package init(_ elements: [RuleValue]) {
        self.storage = .elements(elements)
    }

    init(_ elements: EncodedElements) {
        self.storage = .stored(elements)
    }

    /// Takes one element after the other.
    struct Cursor {
        private var storage: Storage
        private var index = 0

        fileprivate init(_ list: RuleList) {
            self.storage = list.storage
        }

        mutating func next(_ work: inout Work) throws(EvaluationError) -> RuleValue? {
            try work.spend(Work.element)
            switch self.storage {
            case .elements(let elements):
                guard self.index < elements.count else { return nil }
                self.index += 1
                return elements[self.index - 1]
            case .stored(var rest):
                guard let element = rest.next() else { return nil }
                self.storage = .stored(rest)
                return try RuleValue(element, &work)
            }
        }
    }

    var cursor: Cursor { Cursor(self) }

    func count(_ work: inout Work) throws(EvaluationError) -> Int {
        switch self.storage {
        case .elements(let elements): return elements.count
        case .stored(var elements):
            let count = elements.advance(work.steps)
            try work.spend(count * Work.step)
            return count
        }
    }

    /// Nil when there are not so many.
    func element(at index: Int, _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        switch self.storage {
        case .elements(let elements): return elements.indices.contains(index) ? elements[index] : nil
        case .stored(var elements):
            guard index >= 0 else { return nil }
            let passed = elements.advance(min(index, work.steps))
            try work.spend(passed * Work.step)
            return try elements.next().map { (element) throws(EvaluationError) in try RuleValue(element, &work) }
        }
    }

    /// All elements, to be kept.
    func elements(_ work: inout Work) throws(EvaluationError) -> [RuleValue] {
        if case .elements(let elements) = self.storage {
            try work.spend(elements: elements.count)
            return elements
        }
        var elements: [RuleValue] = []
        var cursor = self.cursor
        while let element = try cursor.next(&work) { elements.append(element) }
        return elements
    }

    /// Those from one place up to another, which are there.
    func slice(_ range: Range<Int>, _ work: inout Work) throws(EvaluationError) -> RuleList {
        if case .elements(let elements) = self.storage {
            try work.spend(elements: range.count)
            return RuleList(Array(elements[range]))
        }
        var elements: [RuleValue] = []
        var cursor = self.cursor
        var index = 0
        while index < range.upperBound, let element = try cursor.next(&work) {
            if index >= range.lowerBound { elements.append(element) }
            index += 1
        }
        return RuleList(elements)
    }

    static func equal(
        _ left: RuleList,
        _ right: RuleList,
        as equality: Equality,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        if case .elements(let one) = left.storage, case .elements(let other) = right.storage, one.count != other.count {
            return false
        }
        var (one, other) = (left.cursor, right.cursor)
        while true {
            switch (try one.next(&work), try other.next(&work)) {
            case (nil, nil): return true
            case (let one?, let other?):
                guard try RuleValue.equal(one, other, as: equality, &work) else { return false }
            default: return false
            }
        }
    }
}
