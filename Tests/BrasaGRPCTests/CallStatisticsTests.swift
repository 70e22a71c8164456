import BrasaMeasures
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaGRPC

@Suite struct CallStatisticsTests {
    @Test func `Calls are counted by method and status on each loop, what is no method apart`() {
        let statistics = GRPCCallStatistics(methodCount: 2)
        statistics.callEnded(method: 0, .ok, microseconds: 50)
        statistics.callEnded(method: 0, .ok, microseconds: 1_500_000)
        statistics.callEnded(method: 1, .unauthenticated, microseconds: 0)
        statistics.callEnded(method: 2, .unimplemented, microseconds: -1)
        #expect(statistics.durations(method: 0, .ok).count == 2)
        #expect(statistics.durations(method: 0, .ok).sum == 1_500_050)
        #expect(statistics.durations(method: 0, .ok).counts.first == 1)
        #expect(statistics.durations(method: 1, .unauthenticated).count == 1)
        #expect(statistics.durations(method: 2, .unimplemented).count == 1)
        #expect(statistics.durations(method: 2, .ok).count == 0)
        #expect(statistics.durations(method: 0, .unauthenticated).count == 0)
    }
}
