import BrasaMessages
import CBrasaProtobufC
import Testing

@testable import BrasaWire

@Suite("Arena")
struct ArenaTests {
    // Beside the expectations, whose macros cannot borrow what is not copyable.
    private func allocate(_ arena: borrowing Arena, _ count: Int) -> UnsafeMutableRawPointer? {
        let allocator = arena.allocator.pointee
        return allocator.alloc(allocator.allocator_data, count)
    }

    @Test("gives aligned memory that does not overlap, across blocks")
    func distinct() throws {
        let arena = Arena(bytesMax: 1 << 20)
        var filled: [(UnsafeMutableRawPointer, Int, UInt8)] = []
        for number in 0..<400 {
            let count = [0, 1, 15, 16, 17, 100, 1_000, 5_000][number % 8]
            let given = self.allocate(arena, count)
            let memory = try #require(given)
            #expect(UInt(bitPattern: memory) % 16 == 0)
            let mark = UInt8(truncatingIfNeeded: number)
            UnsafeMutableRawBufferPointer(start: memory, count: count).initializeMemory(as: UInt8.self, repeating: mark)
            filled.append((memory, count, mark))
        }
        for (memory, count, mark) in filled {
            #expect(UnsafeRawBufferPointer(start: memory, count: count).allSatisfy { $0 == mark })
        }
    }

    @Test("serves one allocation larger than a block")
    func large() throws {
        let arena = Arena(bytesMax: 1 << 21)
        let given = self.allocate(arena, 1 << 20)
        let memory = try #require(given)
        UnsafeMutableRawBufferPointer(start: memory, count: 1 << 20).initializeMemory(as: UInt8.self, repeating: 7)
        let small = self.allocate(arena, 8)
        #expect(small != nil)
    }

    @Test("refuses what goes beyond its bound, and says so")
    func bound() {
        let arena = Arena(bytesMax: 1_000)
        let exhaustedAtFirst = arena.isExhausted
        let given = [600, 401, 400, 1, Int.max, -1].map { self.allocate(arena, $0) != nil }
        #expect(given == [true, false, true, false, false, false])
        let exhaustedAtLast = arena.isExhausted
        #expect(!exhaustedAtFirst)
        #expect(exhaustedAtLast)
    }

    @Test("is whole again after frees, which do nothing")
    func frees() throws {
        let arena = Arena(bytesMax: 1 << 20)
        let given = self.allocate(arena, 64)
        let memory = try #require(given)
        memory.storeBytes(of: 42, as: Int.self)
        let allocator = arena.allocator.pointee
        allocator.free(allocator.allocator_data, memory)
        #expect(memory.load(as: Int.self) == 42)
    }
}
