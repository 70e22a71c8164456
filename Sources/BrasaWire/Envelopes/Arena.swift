// protobuf-c's header counts to whichever of the two modules the compiler loads first.
internal import CBrasaFirestoreV1
internal import CBrasaProtobufC

/// Memory for everything that protobuf-c allocates while it unpacks one request: blocks that are only ever filled, and
/// dropped whole with the arena. Pointers into it must not outlive it. Holds at most `bytesMax`; past that protobuf-c is
/// told that memory ran out and gives up the message.
struct Arena: ~Copyable {
    private let state: UnsafeMutablePointer<ArenaState>

    /// The first block, enough for most requests, holds the state as well: one allocation per request.
    private static let firstBlockBytes = 2_048

    init(bytesMax: Int) {
        let block = ArenaBlock.make(bytes: Self.firstBlockBytes, next: nil)
        let state = UnsafeMutableRawPointer(block + 1).bindMemory(to: ArenaState.self, capacity: 1)
        let begin = ArenaState.aligned(UnsafeMutableRawPointer(state + 1))
        state.initialize(
            to: ArenaState(
                allocator: ProtobufCAllocator(
                    alloc: { state, count in
                        state?.assumingMemoryBound(to: ArenaState.self).pointee.allocate(count)
                    },
                    // Nothing is freed before the whole arena is.
                    free: { _, _ in },
                    allocator_data: UnsafeMutableRawPointer(state)
                ),
                block: block,
                next: begin,
                end: UnsafeMutableRawPointer(block) + Self.firstBlockBytes,
                bytesLeft: bytesMax
            )
        )
        self.state = state
    }

    /// What protobuf-c is given; valid as long as the arena.
    var allocator: UnsafeMutablePointer<ProtobufCAllocator> {
        UnsafeMutableRawPointer(self.state).assumingMemoryBound(to: ProtobufCAllocator.self)
    }

    /// Whether an allocation was refused for the bound's sake.
    var isExhausted: Bool { self.state.pointee.isExhausted }

    deinit {
        var block: UnsafeMutablePointer<ArenaBlock>? = self.state.pointee.block
        while let current = block {
            block = current.pointee.next
            current.deallocate()
        }
    }
}

/// The head of a block; the memory to give out follows it.
struct ArenaBlock {
    var next: UnsafeMutablePointer<ArenaBlock>?

    static func make(bytes: Int, next: UnsafeMutablePointer<ArenaBlock>?) -> UnsafeMutablePointer<ArenaBlock> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: ArenaState.alignment)
        let block = memory.bindMemory(to: ArenaBlock.self, capacity: 1)
        block.initialize(to: ArenaBlock(next: next))
        return block
    }
}

struct ArenaState {
    /// First, so that the state's address is the allocator's.
    var allocator: ProtobufCAllocator
    /// The newest block; it leads to the others.
    var block: UnsafeMutablePointer<ArenaBlock>
    var next: UnsafeMutableRawPointer
    var end: UnsafeMutableRawPointer
    var bytesLeft: Int
    var isExhausted = false

    static let alignment = 16
    private static let blockBytes = 16_384

    static func aligned(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        pointer.alignedUp(toMultipleOf: self.alignment)
    }

    mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        // Before rounding, so that no count, however large, can overflow.
        guard count >= 0, count <= self.bytesLeft else {
            self.isExhausted = true
            return nil
        }
        let rounded = (count &+ (Self.alignment - 1)) & ~(Self.alignment - 1)
        self.bytesLeft &-= count
        if rounded > self.end - self.next { self.grow(toFit: rounded) }
        let memory = self.next
        self.next += rounded
        return memory
    }

    private mutating func grow(toFit count: Int) {
        let bytes = max(Self.blockBytes, count + 2 * Self.alignment)
        self.block = ArenaBlock.make(bytes: bytes, next: self.block)
        self.next = Self.aligned(UnsafeMutableRawPointer(self.block + 1))
        self.end = UnsafeMutableRawPointer(self.block) + bytes
    }
}
