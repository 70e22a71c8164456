import Histogram

/// What listeners were told, and when.
package struct ListenReport: Sendable {
    /// From a change's sending (or when it should have been sent) to its receipt by a listener, in nanoseconds.
    var deliveries = Histogram<UInt64>(highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
    /// From the same time to the writer's answer.
    var answers = Histogram<UInt64>(highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
    package var duration: Duration = .zero
    package var changes = 0
    package var resident: Resident?
    package var processor: Processor?

    /// Memory of the server's process.
    package struct Resident: Sendable {
        /// Before anyone listened; the writer's connection is open.
        package var before: Int
        /// When every listener has the first state, and nothing has changed since.
        package var listening: Int
        /// When the last change has been made.
        package var after: Int
    }

    /// What was used of the processors while it was measured.
    package struct Processor: Sendable {
        /// By the server's process.
        package var server: Duration
        /// By this one.
        package var generator: Duration
    }

    package var events: UInt64 { self.deliveries.totalCount }

    package var eventsPerSecond: Double { Double(self.events) / (self.duration / .seconds(1)) }

    /// What one event took of the processors, in microseconds: of the server and here.
    package var processorMicroseconds: (server: Double, generator: Double)? {
        guard let processor = self.processor, self.events > 0 else { return nil }
        let events = Double(self.events)
        return (processor.server / .microseconds(1) / events, processor.generator / .microseconds(1) / events)
    }

    package var answersPerSecond: Double { Double(self.answers.totalCount) / (self.duration / .seconds(1)) }

    package func deliveryMicroseconds(atPercentile percentile: Double) -> Double {
        Double(self.deliveries.valueAtPercentile(percentile)) / 1_000
    }

    package func answerMicroseconds(atPercentile percentile: Double) -> Double {
        Double(self.answers.valueAtPercentile(percentile)) / 1_000
    }
}
