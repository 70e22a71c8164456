import BrasaQueryModel
import BrasaTree
import Testing

struct PushIDTests {
    @Test func `An id holds its time and sorts by it`() throws {
        var random = SeededRandom(seed: 1)
        var generator = PushIDGenerator()
        var ids: [TreeKey] = []
        var times: [Int64] = []
        for time in [0, 1, 63, 64, 4095, 4096, 1_700_000_000_000, 1_700_000_000_001, 1 << 47, 1 << 48 - 1] as [Int64] {
            times.append(time)
            ids.append(generator.next(milliseconds: time, using: &random))
        }
        #expect(ids.allSatisfy { $0.utf8.count == 20 })
        #expect(ids.map { PushID($0)?.milliseconds } == times)
        #expect(ids.sorted() == ids)
        #expect(ids.map(\.description).sorted() == ids.map(\.description))
        #expect(ids[0].description.hasPrefix("--------"))
        #expect(ids.last?.description.hasPrefix("zzzzzzzz") == true)
    }

    @Test func `Ids of one millisecond are the previous one plus one`() throws {
        var random = SeededRandom(seed: 2)
        var generator = PushIDGenerator()
        let ids = (0..<5_000).map { _ in generator.next(milliseconds: 5, using: &random) }
        let numbers = ids.compactMap { PushID($0)?.chance.suffix(8).reduce(0) { $0 << 6 | Int($1) } }
        #expect(numbers == Array(numbers[0]..<(numbers[0] + 5_000)))
        #expect(ids.sorted() == ids)
    }

    @Test func `Ids ascend when the clock steps back and when chance runs out`() throws {
        struct Ones: RandomNumberGenerator {
            mutating func next() -> UInt64 { .max }
        }
        var random = Ones()
        var generator = PushIDGenerator()
        let first = generator.next(milliseconds: 100, using: &random)
        #expect(PushID(first)?.chance == Array(repeating: 63, count: 12))
        let second = generator.next(milliseconds: 50, using: &random)
        #expect(first < second)
        #expect(PushID(second)?.milliseconds == 101)
        _ = generator.next(milliseconds: .max, using: &random)
        _ = generator.next(milliseconds: .min, using: &random)
    }

    @Test(arguments: ["", "-N", "-NabcdefghijklmnopqrX!", "abcdefghijklmnopqrstu", "é234567890123456789"])
    func `Other keys are no push ids`(_ text: String) {
        #expect((try? TreeKey(text)).flatMap(PushID.init) == nil)
    }
}
