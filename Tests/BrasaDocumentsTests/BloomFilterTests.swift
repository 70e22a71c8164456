import BrasaDocuments
import Testing

@Suite struct BloomFilterTests {
    private static let prefix = "projects/p/databases/(default)/documents/"

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
        (Self.prefix + "c/a", "d84a1c46994ea29ff9d6ba5d4277a3df"),
    ])
    func `MD5 gives the digests of its definition`(text: String, digest: String) {
        #expect(Self.hex(MD5(Array(text.utf8)).bytes) == digest)
    }

    @Test(arguments: [
        (["c/a"], 4, 7, 12, "03388001"),
        (["c/a", "c/b"], 8, 3, 13, "851c73c400126904"),
    ])
    func `names set the bits of the protocol`(
        names: [String],
        bytes: Int,
        padding: Int,
        hashes: Int,
        bitmap: String
    ) throws {
        let empty = Array(repeating: 0 as UInt8, count: bytes)
        var filter = try #require(BloomFilter(bitmap: empty, padding: padding, hashCount: hashes))
        for name in names { filter.insert(Array((Self.prefix + name).utf8)) }
        #expect(Self.hex(filter.bitmap) == bitmap)
    }

    @Test(arguments: [0, 1, 2, 3, 100, 2_000])
    func `what was inserted is found and hardly anything else`(count: Int) throws {
        var filter = try #require(BloomFilter(count: count))
        #expect((0...7).contains(filter.padding))
        func name(_ text: String) -> [UInt8] { Array((Self.prefix + text).utf8) }
        for index in 0..<count { filter.insert(name("c/\(index)")) }
        for index in 0..<count { #expect(filter.mayContain(name("c/\(index)"))) }
        #expect((0..<1_000).filter { filter.mayContain(name("d/\($0)")) }.isEmpty)
    }

    @Test func `parts that contradict each other make no filter`() {
        #expect(BloomFilter(bitmap: [], padding: 1, hashCount: 0) == nil)
        #expect(BloomFilter(bitmap: [0], padding: 8, hashCount: 1) == nil)
        #expect(BloomFilter(bitmap: [0], padding: -1, hashCount: 1) == nil)
        #expect(BloomFilter(bitmap: [0], padding: 0, hashCount: 0) == nil)
        #expect(BloomFilter(bitmap: [], padding: 0, hashCount: -1) == nil)
        // So many steps for each name would stop whoever asks.
        #expect(BloomFilter(bitmap: [0xFF], padding: 0, hashCount: 101) == nil)
        #expect(BloomFilter(bitmap: [0xFF], padding: 0, hashCount: 100)?.mayContain([1]) == true)
        #expect(BloomFilter(bitmap: [], padding: 0, hashCount: 0)?.mayContain([1]) == false)
        #expect(BloomFilter(count: BloomFilter.namesMax + 1) == nil)
    }
}
