import Testing

@testable import BrasaSyncSpecification

@Suite struct SpecTests {
    @Test(arguments: [SpecMode.kept]) func `Our own cases pass`(_ mode: SpecMode) throws {
        #expect(try SpecSuite.own.run(mode) == [])
    }
}
