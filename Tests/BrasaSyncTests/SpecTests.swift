import Testing

@testable import BrasaSyncSpecification

@Suite struct SpecTests {
    @Test(
        .enabled(if: SpecSuite.portable != nil, "BRASA_SPEC_TESTS names no folder that has them"),
        arguments: [SpecMode.memory, .kept]
    )
    func `The portable cases pass`(_ mode: SpecMode) throws {
        let failures = try SpecSuite.portable?.run(mode)
        #expect(failures == [])
    }

    @Test(arguments: [SpecMode.memory, .kept]) func `Our own cases pass`(_ mode: SpecMode) throws {
        let failures = try SpecSuite.own.run(mode)
        #expect(failures == [])
    }
}
