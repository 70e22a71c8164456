import Testing

@testable import BrasaSync

@Suite struct WireTargetTests {
    @Test func `After the greatest id comes the smallest that is free`() {
        var ids = WireTargets(greatest: 4)
        for target in [10, 20, 30, 40] as [TargetID] { ids.add(target) }
        #expect([10, 20, 30, 40].map(ids.wireID) == [1, 2, 3, 4])
        #expect(ids.remove(30) == 3)
        #expect(ids.remove(10) == 1)
        for target in [50, 60] as [TargetID] { ids.add(target) }
        #expect([50, 60].map(ids.wireID) == [1, 3])
        #expect(ids.targets(of: [1, 2, 3, 4]) == [50, 20, 60, 40])
    }

    @Test func `Ids of targets and batches, which are never used again, do not run out`() {
        #expect(TargetID.bitWidth == 64)
        #expect(BatchID.bitWidth == 64)
    }
}
