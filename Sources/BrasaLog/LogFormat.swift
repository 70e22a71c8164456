internal import CBrasaChecksum

/// Numbers and layouts that docs/storage-format.md describes. All integers are little-endian.
enum LogFormat {
    static let version: UInt32 = 1
    static let segmentMagic = Array("BRASALOG".utf8)
    static let checkpointMagic = Array("BRASACHK".utf8)
    static let saltBytes = 16
    /// Groups begin at multiples of this. A page that holds acknowledged records is never written again, so a write that
    /// is torn cannot reach them.
    static let pageBytes = 4096
    static let recordHeaderBytes = 16
    static let alignment = 8

    static func paddedRecordBytes(_ payloadBytes: Int) -> Int {
        Self.roundUp(Self.recordHeaderBytes + payloadBytes, to: Self.alignment)
    }

    static func roundUp(_ count: Int, to multiple: Int) -> Int {
        (count + multiple - 1) / multiple * multiple
    }
}

/// A running CRC-32C. What is not stored beside the data (salt, file number, position) goes in first, so that bytes of
/// another file or another place never pass.
struct Checksum {
    private(set) var value: UInt32 = 0

    init() {}

    init(salt: [UInt8], number: UInt64) {
        salt.withUnsafeBytes { self.add($0) }
        self.add(number)
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        self.value = cbrasa_crc32c(self.value, bytes.baseAddress, bytes.count)
    }

    mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
        self.add(UnsafeRawBufferPointer(rebasing: bytes))
    }

    mutating func add(_ integer: UInt64) {
        withUnsafeBytes(of: integer.littleEndian) { self.add($0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The caller has checked that the integer lies inside.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Integer {
        Integer(littleEndian: self.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    var isZero: Bool {
        var found: UInt64 = 0
        let words = self.count / 8 * 8
        for offset in stride(from: 0, to: words, by: 8) {
            found |= self.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        return found == 0 && self[words...].allSatisfy { $0 == 0 }
    }
}

extension UnsafeMutableRawBufferPointer {
    func put(_ integer: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
        self.storeBytes(of: integer.littleEndian, toByteOffset: offset, as: type(of: integer))
    }

    func put(_ bytes: [UInt8], at offset: Int) {
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: self[offset...]).copyMemory(from: $0) }
    }
}
