import BrasaDocuments
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Timestamps, places and vectors")
struct LeafValueTests {
    @Test(
        "A date is truncated to a nanosecond at or before it",
        arguments: [
            (0.0, 0, 0), (1.5, 1, 500_000_000), (-0.5, -1, 500_000_000), (-1.0, -1, 0), (-1.25, -2, 750_000_000),
            (1_234_567_890.75, 1_234_567_890, 750_000_000),
        ] as [(Double, Int64, Int32)]
    )
    func dates(interval: Double, seconds: Int64, nanoseconds: Int32) {
        let timestamp = Timestamp(date: Date(timeIntervalSince1970: interval))
        #expect(timestamp == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        #expect(timestamp.dateValue().timeIntervalSince1970 == interval)
    }

    @Test("Timestamps compare by time")
    func order() {
        let times = [(-1, 5), (0, 0), (0, 1), (1, 0)].map { Timestamp(seconds: $0, nanoseconds: $1) }
        for (left, earlier) in times.enumerated() {
            for (right, later) in times.enumerated() {
                let expected: ComparisonResult =
                    left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
                #expect(earlier.compare(later) == expected)
            }
        }
    }

    @Test("The first and the last time of the protocol are accepted, those beyond are not")
    func range() throws {
        #expect(try Timestamp(seconds: -62_135_596_800, nanoseconds: 0).stored.microseconds == -62_135_596_800_000_000)
        #expect(
            try Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999).stored.microseconds
                == 253_402_300_799_999_999
        )
        for (seconds, nanoseconds) in [
            (-62_135_596_801, 0), (253_402_300_800, 0), (0, -1), (0, 1_000_000_000), (.min, .min), (.max, .max),
        ] as [(Int64, Int32)] {
            #expect(throws: UsageError.self) { try Timestamp(seconds: seconds, nanoseconds: nanoseconds).stored }
        }
        for interval in [1e12, -1e12, 1e300, .infinity, -.infinity, .nan] {
            let date = Date(timeIntervalSince1970: interval)
            #expect(throws: UsageError.self) { try Timestamp(date: date).stored }
        }
    }

    @Test("A timestamp is kept in whole microseconds")
    func microseconds() throws {
        let stored = try Timestamp(seconds: 5, nanoseconds: 123_456_789).stored
        #expect(Timestamp(stored) == Timestamp(seconds: 5, nanoseconds: 123_456_000))
    }

    @Test("A place is equal bit by bit, and out of range it is none")
    func places() {
        #expect(GeoPoint(latitude: 1, longitude: 2) == GeoPoint(latitude: 1, longitude: 2))
        #expect(GeoPoint(latitude: 0, longitude: 0) != GeoPoint(latitude: -0.0, longitude: 0))
        #expect(GeoPoint(latitude: 90, longitude: -180).longitude == -180)
        for (latitude, longitude) in [(90.1, 0), (0, -180.1), (.nan, 0), (0, .infinity)] as [(Double, Double)] {
            #expect(throws: UsageError.self) { try GeoPoint(latitude: latitude, longitude: longitude).check() }
        }
    }

    @Test("Vectors are equal by content")
    func vectors() {
        #expect(FieldValue.vector([1, 2, 3.5] as [Double]) == VectorValue([1, 2, 3.5]))
        #expect(FieldValue.vector([1, 2] as [Float]).array == [1, 2])
    }

    @Test("Shared operations are equal, others only to themselves")
    func operations() {
        #expect(FieldValue.delete() == FieldValue.delete())
        #expect(FieldValue.serverTimestamp() == FieldValue.serverTimestamp())
        #expect(FieldValue.delete() != FieldValue.serverTimestamp())
        let increment = FieldValue.increment(1)
        #expect(increment == increment)
        #expect(increment != FieldValue.increment(1))
    }

    @Test("Other coders write leaf values as keyed containers")
    func otherCoders() throws {
        let place = try JSONEncoder().encode(GeoPoint(latitude: 1, longitude: 2))
        #expect(try JSONDecoder().decode([String: Double].self, from: place) == ["latitude": 1, "longitude": 2])
        let time = Timestamp(seconds: 3, nanoseconds: 4)
        #expect(try JSONDecoder().decode(Timestamp.self, from: JSONEncoder().encode(time)) == time)
        let vector = VectorValue([1, 2])
        #expect(try JSONDecoder().decode(VectorValue.self, from: JSONEncoder().encode(vector)) == vector)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GeoPoint.self, from: Data(#"{"latitude":91,"longitude":0}"#.utf8))
        }
        #expect(throws: FirestoreEncodingError.self) { try JSONEncoder().encode([FieldValue.delete()]) }
    }
}
