import Testing

@testable import BrasaSyncSpecification

@Suite struct SpecTests {
    @Test(arguments: [SpecMode.memory, .kept]) func `The portable cases pass`(_ mode: SpecMode) throws {
        #expect(try SpecSuite.portable?.run(mode) ?? [] == [])
    }

    @Test(arguments: [SpecMode.memory, .kept]) func `Our own cases pass`(_ mode: SpecMode) throws {
        #expect(try SpecSuite.own.run(mode) == [])
    }
}
