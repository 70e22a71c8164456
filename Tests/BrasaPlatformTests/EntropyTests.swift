import BrasaPlatform
import Testing

@Suite struct EntropyTests {
    @Test(arguments: [0, 1, 7, 8, 9, 16, 100]) func bytesHaveTheCountAskedFor(_ count: Int) {
        #expect(Entropy.system.bytes(count).count == count)
    }

    @Test func twoSaltsDiffer() {
        #expect(Entropy.system.bytes(16) != Entropy.system.bytes(16))
    }
}
