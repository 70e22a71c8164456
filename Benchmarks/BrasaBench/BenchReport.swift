package import BrasaStatus
import Histogram

/// What was measured: latencies in nanoseconds, and how calls failed.
package struct BenchReport: Sendable {
    var latencies = Histogram<UInt64>(highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
    package var failures: [StatusCode: Int] = [:]
    /// The first failure's text.
    package var failureExample: String?
    package var duration: Duration = .zero

    mutating func add(_ other: BenchReport) {
        self.latencies.add(other.latencies)
        self.failures.merge(other.failures, uniquingKeysWith: +)
        self.failureExample = self.failureExample ?? other.failureExample
    }

    /// Calls that were answered with success.
    package var calls: UInt64 { self.latencies.totalCount }

    package var callsPerSecond: Double {
        Double(self.calls) / (self.duration / .seconds(1))
    }

    package func microseconds(atPercentile percentile: Double) -> Double {
        Double(self.latencies.valueAtPercentile(percentile)) / 1_000
    }
}
