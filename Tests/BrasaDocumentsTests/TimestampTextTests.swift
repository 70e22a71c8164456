import BrasaDocuments
import Testing

@Suite struct TimestampTextTests {
    @Test(
        arguments: [
            (0, 0, 0), (1, 0, 1_000), (-1, -1, 999_999_000), (-1_000_000, -1, 0), (-1_000_001, -2, 999_999_000),
            (1_999_999, 1, 999_999_000), (Timestamp.earliest.microseconds, -62_135_596_800, 0),
            (Timestamp.latest.microseconds, 253_402_300_799, 999_999_000),
        ] as [(Int64, Int64, Int32)]
    )
    func `Seconds are rounded towards the past, and the rest is never below zero`(
        _ microseconds: Int64,
        _ seconds: Int64,
        _ nanos: Int32
    ) {
        let timestamp = Timestamp(microseconds: microseconds)
        let parts = timestamp.parts
        #expect(parts.seconds == seconds && parts.nanos == nanos)
        #expect(timestamp.seconds == seconds && timestamp.nanos == nanos)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
            (1_700_000_000_120_000, "2023-11-14T22:13:20.120Z", "2023-11-14T22:13:20.120000Z"),
            (951_782_400_000_001, "2000-02-29T00:00:00.000001Z", "2000-02-29T00:00:00.000001Z"),
            (Timestamp.earliest.microseconds, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
            (Timestamp.latest.microseconds, "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String, String)]
    )
    func `Times are written and read`(_ microseconds: Int64, _ short: String, _ long: String) {
        let time = Timestamp(microseconds: microseconds)
        #expect(time.rfc3339(.asNeeded) == short && time.rfc3339(.microseconds) == long)
        #expect(Timestamp(rfc3339: Array(short.utf8)) == time && Timestamp(rfc3339: Array(long.utf8)) == time)
    }

    @Test(arguments: [
        "", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.0000000001Z", "2026-01-01T00:00:00+01:00",
        "20x6-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
    ])
    func `What is no time is refused`(_ text: String) {
        #expect(Timestamp(rfc3339: Array(text.utf8)) == nil)
    }
}
