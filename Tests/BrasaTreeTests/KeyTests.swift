import BrasaTree
import Testing

struct KeyTests {
    @Test(arguments: [
        [
            "-2147483648", "0", "1", "2", "10", "2147483647", "-2147483649", "-2147483650", "-a", "2147483648",
            "21474836480", "2147483649", "a",
        ],
        ["0", "3", "03", "003", "5", "9", "20", "100", "bar", "foo"],
        ["-5", "-0", "00", "1", "-", "--1", "1+", "1e3", "A", "_", "a", "aa", "ab"],
        // By UTF-16 a character beyond the basic plane is before the last of that plane.
        ["a", "é", "\u{D7FF}", "🐵", "\u{E000}", "\u{FFFF}"],
    ])
    func `Keys are in the documented order`(_ ordered: [String]) throws {
        let keys = try ordered.map { try TreeKey($0) }
        #expect(keys.reversed().sorted().map(\.description) == ordered)
        for (index, left) in keys.enumerated() {
            for (other, right) in keys.enumerated() { #expect((left < right) == (index < other)) }
        }
    }

    @Test(arguments: ["", ".", "a.b", "#", "$", "a/b", "[", "]", "a\u{0}", "\u{1F}", "\u{7F}", ".priority"])
    func `What a key may not be`(_ text: String) {
        #expect(refusal { _ = try TreeKey(text) }?.reason == .invalidKey(TreeText(text)))
    }

    @Test func `A key has 768 bytes at most`() throws {
        _ = try TreeKey(String(repeating: "é", count: 384))
        #expect(refusal { _ = try TreeKey(String(repeating: "x", count: 769)) }?.reason == .keyTooLong(bytes: 769))
    }

    @Test func `Keys are equal by their bytes, not by what they look like`() throws {
        #expect(try key("e\u{301}") != key("\u{E9}"))
    }

    @Test(arguments: [
        ("", "/"), ("/", "/"), ("a/b", "/a/b"), ("/a//b/", "/a/b"), ("a/.priority", "/a/.priority"),
        (".priority", "/.priority"),
    ])
    func `Paths do not mind slashes`(_ text: String, _ meant: String) throws {
        #expect(try TreeLocation(text).description == meant)
    }

    @Test(arguments: ["a/.value", "a/.sv", ".info/connected", "a/.priority/b", "a/$b"])
    func `What a path may not hold`(_ text: String) {
        guard case .invalidKey? = refusal({ _ = try TreeLocation(text) })?.reason else {
            Issue.record("\(text) is a path")
            return
        }
    }

    @Test func `A path names the node above a key that is refused`() throws {
        #expect(refusal { _ = try TreeLocation("a/b/c.d") }?.path == (try path("a/b")))
        let long = Array(repeating: "k", count: 33).joined(separator: "/")
        #expect(refusal { _ = try TreePath(long) }?.reason == .tooDeep(levels: 33))
    }
}
