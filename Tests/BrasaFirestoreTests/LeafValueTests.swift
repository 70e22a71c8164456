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

    @Test("The first and the last time of the protocol are accepted, those beyond stop the program")
    func range() async {
        #expect(Timestamp(seconds: -62_135_596_800, nanoseconds: 0).stored.microseconds == -62_135_596_800_000_000)
        #expect(
            Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999).stored.microseconds == 253_402_300_799_999_999
        )
        await #expect(processExitsWith: .failure) { _ = Timestamp(seconds: -62_135_596_801, nanoseconds: 0) }
        await #expect(processExitsWith: .failure) { _ = Timestamp(seconds: 253_402_300_800, nanoseconds: 0) }
        await #expect(processExitsWith: .failure) { _ = Timestamp(seconds: 0, nanoseconds: -1) }
        await #expect(processExitsWith: .failure) { _ = Timestamp(seconds: 0, nanoseconds: 1_000_000_000) }
        await #expect(processExitsWith: .failure) { _ = Timestamp(date: .distantFuture.addingTimeInterval(1e12)) }
    }

    @Test("A timestamp is kept in whole microseconds")
    func microseconds() {
        let stored = Timestamp(seconds: 5, nanoseconds: 123_456_789).stored
        #expect(Timestamp(stored) == Timestamp(seconds: 5, nanoseconds: 123_456_000))
    }

    @Test("A place is equal bit by bit, and out of range it stops the program")
    func places() async {
        #expect(GeoPoint(latitude: 1, longitude: 2) == GeoPoint(latitude: 1, longitude: 2))
        #expect(GeoPoint(latitude: 0, longitude: 0) != GeoPoint(latitude: -0.0, longitude: 0))
        #expect(GeoPoint(latitude: 90, longitude: -180).longitude == -180)
        await #expect(processExitsWith: .failure) { _ = GeoPoint(latitude: 90.1, longitude: 0) }
        await #expect(processExitsWith: .failure) { _ = GeoPoint(latitude: 0, longitude: -180.1) }
        await #expect(processExitsWith: .failure) { _ = GeoPoint(latitude: .nan, longitude: 0) }
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
