import BrasaMeasures
import Testing

@Suite struct HistogramTests {
    @Test(arguments: [
        (0, [1, 0, 0]), (10, [1, 0, 0]), (11, [0, 1, 0]), (20, [0, 1, 0]), (21, [0, 0, 1]), (Int.max, [0, 0, 1]),
    ])
    func `A value counts for the first bound that is not below it`(_ value: Int, _ expected: [Int]) {
        let histogram = Histogram(HistogramShape(bounds: [10, 20]))
        histogram.record(value)
        #expect(histogram.values.counts == expected)
        #expect(histogram.values.sum == value && histogram.values.count == 1)
    }

    @Test func `Those of several threads add up`() {
        let shape = HistogramShape(bounds: [1, 2])
        let (one, other) = (Histogram(shape), Histogram(shape))
        for value in 0..<5 { one.record(value) }
        other.record(2)
        var sum = HistogramValues(shape)
        sum += one.values
        sum += other.values
        #expect(sum.counts == [2, 2, 2] && sum.sum == 12 && sum.count == 6)
    }

    @Test func `Histograms side by side in a block do not touch each other`() {
        let shape = HistogramShape(bounds: [1, 2])
        let block = CounterBlock(count: 3 * shape.cellCount)
        for place in 0..<3 {
            for value in 0...place { shape.record(value + 1, in: block, at: place * shape.cellCount) }
        }
        #expect(
            (0..<3).map { shape.values(of: block, at: $0 * shape.cellCount).counts } == [
                [1, 0, 0], [1, 1, 0], [1, 1, 1],
            ]
        )
    }

    @Test func `A sum that overflows wraps and does not end the process`() {
        let histogram = Histogram(HistogramShape(bounds: [1]))
        histogram.record(.max)
        histogram.record(.max)
        #expect(histogram.values.count == 2)
    }
}
