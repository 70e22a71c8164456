import BrasaTreeSync
import Testing

struct SyncPointTests {
    static let cases = (try? SyncPointCase.all()) ?? nil

    @Test(.enabled(if: Self.cases != nil, "BRASA_SYNC_POINT_SPEC names no folder that has them"))
    func `The portable cases pass`() throws {
        let cases = Self.cases ?? []
        #expect(cases.count >= 78)
        var passed = 0
        for scripted in cases {
            let failures = try scripted.run()
            #expect(failures == [], "\(scripted.name)")
            if failures.isEmpty { passed += 1 }
        }
        print("sync points: \(passed) of \(cases.count) passed")
    }
}
