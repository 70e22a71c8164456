/// Bytes that do not change, in one piece of memory with 20 bytes before them. An array has 32: where there is one for every
/// document, that is one of the allocator's sizes.
///
/// Usable from inline itself: else Swift keeps what is inlinable in it from other modules.
///
/// `@unchecked Sendable`: the storage is written before anybody else has it, and never again.
@usableFromInline
package struct ByteString: @unchecked Sendable {
    /// Never without memory of its own, not even when it is empty: all would count their references to one that they share,
    /// and an enum with a case for it needs the bits that an optional takes.
    @usableFromInline let storage: ByteStringStorage

    /// Copies them. Traps beyond 4 GiB, which nothing stores.
    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.storage = ByteStringStorage.copy(of: bytes)
    }

    /// So many bytes, all of which `fill` writes. Traps as copying does.
    @inlinable
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        self.storage = ByteStringStorage.make(count: count, fill: fill)
    }

    @inlinable
    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { ByteString($0) }
    }

    @inlinable
    package init(_ bytes: ArraySlice<UInt8>) {
        self = bytes.withUnsafeBytes { ByteString($0) }
    }

    @inlinable package var count: Int { self.storage.count }
    @inlinable package var isEmpty: Bool { self.count == 0 }
    /// Where it lies, header and all: to have it fetched, not to read it.
    @inlinable package var address: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self.storage).toOpaque())
    }
    /// A copy.
    package var array: [UInt8] { self.withUnsafeBytes { Array($0) } }

    @inlinable
    package func withUnsafeBytes<Output>(_ body: (UnsafeRawBufferPointer) throws -> Output) rethrows -> Output {
        try self.storage.withUnsafeBytes(body)
    }
}

@usableFromInline
final class ByteStringStorage: ManagedBuffer<UInt32, UInt8> {
    @inlinable
    static func copy(of bytes: UnsafeRawBufferPointer) -> ByteStringStorage {
        self.make(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    @inlinable
    static func make(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) -> ByteStringStorage {
        let header = UInt32(count)
        let buffer = ByteStringStorage.create(minimumCapacity: count) { _ in header }
        buffer.withUnsafeMutablePointerToElements { elements in
            fill(UnsafeMutableRawBufferPointer(start: elements, count: count))
        }
        // `create` makes one of the class that it is asked of.
        return unsafeDowncast(buffer, to: ByteStringStorage.self)
    }

    @inlinable var count: Int { self.withUnsafeMutablePointerToHeader { Int($0.pointee) } }

    @inlinable
    func withUnsafeBytes<Output>(_ body: (UnsafeRawBufferPointer) throws -> Output) rethrows -> Output {
        try self.withUnsafeMutablePointers { header, elements in
            try body(UnsafeRawBufferPointer(start: elements, count: Int(header.pointee)))
        }
    }
}
