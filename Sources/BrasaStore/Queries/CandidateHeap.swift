import BrasaDocuments

/// What comes next from each source, the very next first: a binary heap of sources, so that entries stay where they are.
struct CandidateHeap: Sendable {
    /// By source.
    private var candidates: [RunSource.Candidate?]
    private var keys: [[UInt8]]
    private var keyStarts: [Int]
    private var sources: [Int] = []
    private let isDescending: Bool

    init(sourceCount: Int, isDescending: Bool) {
        self.candidates = Array(repeating: nil, count: sourceCount)
        self.keys = Array(repeating: [], count: sourceCount)
        self.keyStarts = Array(repeating: 0, count: sourceCount)
        self.isDescending = isDescending
    }

    var isEmpty: Bool { self.sources.isEmpty }
    var count: Int { self.sources.count }

    /// The source must have no other candidate here.
    mutating func push(_ candidate: RunSource.Candidate, from source: Int) {
        self.keys[source] = candidate.key
        self.keyStarts[source] = candidate.keyStart
        self.candidates[source] = candidate
        var index = self.sources.count
        self.sources.append(source)
        while index > 0 {
            let parent = (index - 1) / 2
            guard self.comesBefore(index, parent) else { return }
            self.sources.swapAt(index, parent)
            index = parent
        }
    }

    mutating func pop() -> (candidate: RunSource.Candidate, source: Int)? {
        guard let source = self.sources.first, let candidate = self.candidates[source].take() else { return nil }
        let last = self.sources.removeLast()
        if !self.sources.isEmpty {
            self.sources[0] = last
            self.sinkFirst()
        }
        return (candidate, source)
    }

    mutating func removeAll() {
        for source in self.sources { self.candidates[source] = nil }
        self.sources = []
    }

    private mutating func sinkFirst() {
        let count = self.sources.count
        var index = 0
        while true {
            var next = index
            let left = 2 * index + 1
            if left < count, self.comesBefore(left, next) { next = left }
            if left + 1 < count, self.comesBefore(left + 1, next) { next = left + 1 }
            if next == index { return }
            self.sources.swapAt(index, next)
            index = next
        }
    }

    private func comesBefore(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (self.sources[left], self.sources[right])
        let (leftStart, rightStart) = (self.keyStarts[left], self.keyStarts[right])
        let order = self.keys[left].withUnsafeBytes { left in
            self.keys[right].withUnsafeBytes { right in
                ByteOrder.compare(
                    UnsafeRawBufferPointer(rebasing: left[leftStart...]),
                    UnsafeRawBufferPointer(rebasing: right[rightStart...])
                )
            }
        }
        return order == (self.isDescending ? .descending : .ascending)
    }
}
