/// Between which bounds a histogram counts. Fixed, so that those of several threads can be added up.
package struct HistogramShape: Hashable, Sendable {
    /// Each counts values up to and including it; ascending. What is larger than the last is counted besides.
    package let bounds: [Int]
    /// How many make one of the unit in which it is shown.
    package let scale: Int

    package init(bounds: [Int], scale: Int = 1) {
        self.bounds = bounds
        self.scale = scale
    }

    /// Of microseconds, shown in seconds.
    package static let durations = HistogramShape(
        bounds: [
            100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
            2_500_000, 10_000_000,
        ],
        scale: 1_000_000
    )

    /// What a histogram takes of a block: a cell for each bound, one for what is larger, and one for the sum.
    package var cellCount: Int { self.bounds.count + 2 }

    package func record(_ value: Int, in block: CounterBlock, at start: Int) {
        var place = 0
        while place < self.bounds.count, value > self.bounds[place] { place += 1 }
        block.add(1, at: start + place)
        block.add(value, at: start + self.cellCount - 1)
    }

    package func values(of block: CounterBlock, at start: Int) -> HistogramValues {
        HistogramValues(
            shape: self,
            counts: (0...self.bounds.count).map { block[start + $0] },
            sum: block[start + self.cellCount - 1]
        )
    }
}

/// What a histogram has counted.
package struct HistogramValues: Hashable, Sendable {
    package let shape: HistogramShape
    /// By bound, and last what is larger than all.
    package private(set) var counts: [Int]
    package private(set) var sum: Int

    package init(shape: HistogramShape, counts: [Int], sum: Int) {
        self.shape = shape
        self.counts = counts
        self.sum = sum
    }

    package init(_ shape: HistogramShape) {
        self.init(shape: shape, counts: Array(repeating: 0, count: shape.bounds.count + 1), sum: 0)
    }

    package var count: Int { self.counts.reduce(0, &+) }

    /// - Precondition: both are of one shape.
    package static func += (left: inout HistogramValues, right: HistogramValues) {
        precondition(left.shape == right.shape, "histograms of different shapes")
        for index in left.counts.indices { left.counts[index] &+= right.counts[index] }
        left.sum &+= right.sum
    }
}

/// One histogram by itself.
package struct Histogram: Sendable {
    private let shape: HistogramShape
    private let block: CounterBlock

    package init(_ shape: HistogramShape) {
        self.shape = shape
        self.block = CounterBlock(count: shape.cellCount)
    }

    /// Called by one thread at a time.
    package func record(_ value: Int) { self.shape.record(value, in: self.block, at: 0) }

    package var values: HistogramValues { self.shape.values(of: self.block, at: 0) }
}
