import BrasaBytes
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10, and one of bytes whose digits are the last two.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("\u{FB}\u{F0}", "w7vDsA=="),
    ])
    func `The standard's vectors, with padding and without`(_ plain: String, _ padded: String) {
        let bytes = Array(plain.utf8)
        let bare = Array(padded.utf8.filter { $0 != UInt8(ascii: "=") })
        for alphabet in [Base64.Alphabet.standard, .url] {
            #expect(Base64.encode(bytes, alphabet, isPadded: true) == Array(padded.utf8))
            #expect(Base64.encode(bytes, alphabet, isPadded: false) == bare)
        }
        for alphabet in [Base64.Alphabet.standard, .url, .any] {
            #expect(Base64.decode(padded.utf8, alphabet) == bytes)
            #expect(Base64.decode(bare, alphabet) == bytes)
        }
    }

    @Test func `Each alphabet has its own last digits, and any reads both`() {
        let bytes: [UInt8] = [0xFB, 0xFF]
        #expect(Base64.encode(bytes, .standard, isPadded: false) == Array("+/8".utf8))
        #expect(Base64.encode(bytes, .url, isPadded: false) == Array("-_8".utf8))
        #expect(Base64.decode("+/8".utf8, .url) == nil && Base64.decode("-_8".utf8, .standard) == nil)
        #expect(Base64.decode("+/8".utf8, .any) == bytes && Base64.decode("-_8=".utf8, .any) == bytes)
    }

    @Test(
        arguments: [
            "A", "Zg=", "Zg===", "Z=g=", "Zm9v====", "Zm9v=", "Zh", "Zm9", "Z*", "Zm 9v", "Zm9\n", "====", "=",
        ],
        [Base64.Alphabet.standard, .url, .any]
    )
    func `What no bytes are written as is refused`(_ text: String, _ alphabet: Base64.Alphabet) {
        #expect(Base64.decode(text.utf8, alphabet) == nil)
    }

    @Test func `Every byte survives`() {
        for count in 0...260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            for alphabet in [Base64.Alphabet.standard, .url] {
                for isPadded in [true, false] {
                    let text = Base64.encode(bytes, alphabet, isPadded: isPadded)
                    #expect(Base64.decode(text, alphabet) == bytes && Base64.decode(text, .any) == bytes)
                }
            }
        }
    }
}
