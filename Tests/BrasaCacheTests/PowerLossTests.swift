import BrasaDocuments
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct PowerLossTests {
    @Test(arguments: 1000..<1008 as Range<UInt64>)
    func `Every batch is applied once and answered once, whatever breaks and whatever of the disk is lost`(
        _ seed: UInt64
    ) throws {
        let storage = try LosingDiskStorage()
        var trial = try ResumptionTrial(seed: seed, storage, reopen: storage.reopen)
        for _ in 0..<150 { try trial.step() }
        try trial.finish()
    }
}
