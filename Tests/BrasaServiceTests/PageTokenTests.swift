import BrasaSimulation
import Testing

@testable import BrasaService

@Suite struct PageTokenTests {
    @Test func `A token gives back what it was made of, to the same request only`() {
        for last in [[], [0], Array("cities/SF".utf8), [UInt8](0...255)] as [[UInt8]] {
            let text = PageToken(fingerprint: 0x0123_4567_89AB_CDEF, last: last).text
            #expect(PageToken(parsing: text, for: 0x0123_4567_89AB_CDEF)?.last == last)
            #expect(PageToken(parsing: text, for: 0x0123_4567_89AB_CDEE) == nil)
        }
    }

    @Test func `Every cut and every changed character of a token is refused or yields other bytes, never a trap`() {
        let text = PageToken(fingerprint: 77, last: Array("cities/SF".utf8)).text
        for length in 0..<text.count {
            let cut = PageToken(parsing: Array(text[..<length]), for: 77)
            #expect(cut?.last != Array("cities/SF".utf8))
        }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[index] {
                var damaged = text
                damaged[index] = byte
                let token = PageToken(parsing: damaged, for: 77)
                // The last character's spare bits are the only ones without a meaning.
                #expect(token?.last != Array("cities/SF".utf8) || index == text.count - 1)
            }
        }
    }

    @Test func `Random bytes are no tokens`() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(PageToken(parsing: bytes, for: 1) == nil)
        }
    }

    @Test func `A fingerprint tells parameters apart that run together`() {
        var first = Fingerprint()
        first.add("ab".utf8)
        first.add("c".utf8)
        var second = Fingerprint()
        second.add("a".utf8)
        second.add("bc".utf8)
        #expect(first.value != second.value)
    }
}
