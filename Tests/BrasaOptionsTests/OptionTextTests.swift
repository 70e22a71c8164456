import BrasaOptions
import Testing

@Suite struct OptionTextTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65535),
        ("[::]:1", "::", 1), ("db.example:08080", "db.example", 8080),
    ])
    func `A host and a port are read, and written as they were`(_ text: String, _ host: String, _ port: Int) throws {
        let address = try #require(ListenAddress(parsing: text))
        #expect(address.host == host && address.port == port)
        #expect(ListenAddress(parsing: address.description)?.port == port)
    }

    @Test(arguments: [
        "", ":", ":80", "host", "host:", "host:x", "host:65536", "host:-1", "host:+1", "host: 80", "::1:80", "[::1]",
        "[]:80", "[::1:80", "::1]:80", "a:b:80", "host:8080 ",
    ])
    func `What is not a host and a port is refused`(_ text: String) {
        #expect(ListenAddress(parsing: text) == nil)
    }

    @Test(
        arguments: [
            ("0s", .zero), ("500ms", .milliseconds(500)), ("90s", .seconds(90)), ("30m", .seconds(1_800)),
            ("1h", .seconds(3_600)), ("7d", .seconds(604_800)), ("36525d", .seconds(36_525 * 86_400)),
        ] as [(String, Duration)]
    )
    func `Durations are a number and a unit`(_ text: String, _ expected: Duration) {
        #expect(DurationText.parse(text) == expected)
    }

    @Test(arguments: [
        "", "s", "10", "1.5s", "-1s", "+1s", " 1s", "1 s", "1s ", "1S", "1w", "36526d", "9223372036854775807h",
        "99999999999999999999s", "٣s", "9223372036854775807ms",
    ])
    func `What is no duration, or longer than a century, is refused`(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("1000", 1_000), ("64K", 65_536), ("512m", 512 << 20), ("2G", 2 << 30),
            ("9223372036854775807", Int.max),
        ] as [(String, Int)]
    )
    func `Memory is a number of bytes, or of a power of 1024`(_ text: String, _ expected: Int) {
        #expect(ByteCountText.parse(text) == expected)
    }

    @Test(arguments: ["", "G", "-1", "+1", "1.5G", " 1", "1 G", "1T", "1GB", "9223372036854775808", "8589934592G", "٣"])
    func `What is no amount of memory is refused`(_ text: String) {
        #expect(ByteCountText.parse(text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"), (1 << 20, "1.0 MiB"),
            (1_258_291, "1.2 MiB"), (3 << 30, "3.0 GiB"), (5 << 40, "5.0 TiB"), (-1, "-1 B"),
            (Int64.max, "9223372036854775807 B"),
        ] as [(Int64, String)]
    )
    func `Memory is written for people`(_ count: Int64, _ expected: String) {
        #expect(ByteCountText.format(count) == expected)
    }

    @Test(
        arguments: [
            (.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1_500), "1500ms"), (.seconds(60), "1m"),
            (.seconds(90), "90s"), (.seconds(3_600), "1h"), (.seconds(86_400), "1d"),
            (.seconds(36_525 * 86_400), "36525d"),
            (.seconds(-1), "0s"),
        ] as [(Duration, String)]
    )
    func `A duration is written as it is read`(_ duration: Duration, _ expected: String) {
        #expect(DurationText.format(duration) == expected)
        #expect(DurationText.parse(expected) == max(duration, .zero))
    }

    @Test(
        arguments: [
            (.zero, "0s"), (.milliseconds(999), "0s"), (.seconds(59), "59s"), (.seconds(119), "1m"),
            (.seconds(7_199), "1h"), (.seconds(2 * 86_400 - 1), "1d"), (.seconds(Int64.max), "36525d"),
            (.seconds(Int64.min), "0s"),
        ] as [(Duration, String)]
    )
    func `A duration is rounded down for people`(_ duration: Duration, _ expected: String) {
        #expect(DurationText.rounded(duration) == expected)
    }

    @Test(arguments: [(0, "0"), (1_023, "1023"), (1_024, "1K"), (1_536, "1536"), (512 << 20, "512M"), (3 << 30, "3G")])
    func `Memory is written as it is read`(_ count: Int, _ expected: String) {
        #expect(ByteCountText.exact(count) == expected && ByteCountText.parse(expected) == count)
    }
}
