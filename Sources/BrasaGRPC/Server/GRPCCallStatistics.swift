package import BrasaMeasures
package import BrasaStatus

/// How many calls ended how, and after what time: by method and status. One for each event loop, which alone adds to it.
final class GRPCCallStatistics: Sendable {
    private static let shape = HistogramShape.durations
    private static let statusCount = StatusCode.allCases.count

    private let block: CounterBlock
    private let started: CounterBlock

    /// - Parameter methodCount: those that are known; what is none of them is counted behind them.
    init(methodCount: Int) {
        self.block = CounterBlock(count: (methodCount + 1) * Self.statusCount * Self.shape.cellCount)
        self.started = CounterBlock(count: 1)
    }

    func callBegan() { self.started.add(1, at: 0) }

    /// - Parameter method: its index in the table.
    func callEnded(method: Int, _ status: StatusCode, microseconds: Int) {
        Self.shape.record(max(0, microseconds), in: self.block, at: self.start(method, status))
    }

    var startedCount: Int { self.started[0] }

    func durations(method: Int, _ status: StatusCode) -> HistogramValues {
        Self.shape.values(of: self.block, at: self.start(method, status))
    }

    private func start(_ method: Int, _ status: StatusCode) -> Int {
        (method * Self.statusCount + status.rawValue) * Self.shape.cellCount
    }
}

/// The calls of a method that ended with a status, on all event loops.
package struct GRPCCallSeries: Hashable, Sendable {
    /// Nil: what was called is no method of the server.
    package let method: GRPCMethodDescriptor?
    package let status: StatusCode
    package var durations: HistogramValues
}

extension GRPCServer {
    /// Those that are not empty, by method and status. On any thread.
    package var callSeries: [GRPCCallSeries] {
        let loops = self.statistics
        let methods = self.methods.descriptors.map { Optional($0) } + [nil]
        return methods.enumerated().flatMap { index, method in
            StatusCode.allCases.compactMap { status in
                var sum = HistogramValues(.durations)
                for loop in loops { sum += loop.durations(method: index, status) }
                return sum.count == 0 ? nil : GRPCCallSeries(method: method, status: status, durations: sum)
            }
        }
    }

    package var callsStarted: Int { self.statistics.reduce(0) { $0 + $1.startedCount } }
}
