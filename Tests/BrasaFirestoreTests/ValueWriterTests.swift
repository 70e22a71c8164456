import BrasaDocuments
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Values to users")
struct ValueWriterTests {
    let database = Databases.new()

    private func any(_ value: Value, _ behavior: ServerTimestampBehavior = .none) -> Any {
        ValueWriter(firestore: self.database, behavior: behavior).any(value)
    }

    struct Casts: Sendable {
        var value: Value
        var int: Int?
        var uint: UInt?
        var double: Double?
        var float: Float?
        var bool: Bool?
    }

    static let casts: [Casts] = [
        Casts(value: .integer(42), int: 42, uint: 42, double: 42, float: 42),
        Casts(value: .integer(1), int: 1, uint: 1, double: 1, float: 1, bool: true),
        Casts(value: .integer(0), int: 0, uint: 0, double: 0, float: 0, bool: false),
        Casts(value: .integer(-1), int: -1, double: -1, float: -1),
        Casts(value: .integer(9_007_199_254_740_993), int: 9_007_199_254_740_993, uint: 9_007_199_254_740_993),
        Casts(value: .double(3), int: 3, uint: 3, double: 3, float: 3),
        Casts(value: .double(1), int: 1, uint: 1, double: 1, float: 1, bool: true),
        Casts(value: .double(4.65), double: 4.65),
        Casts(value: .double(0.5), double: 0.5, float: 0.5),
        Casts(value: .boolean(true), int: 1, uint: 1, double: 1, float: 1, bool: true),
    ]

    @Test("Numbers and booleans cast as on Apple's systems", arguments: Self.casts)
    func numbers(_ row: Casts) {
        let any = self.any(row.value)
        #expect(any as? Int == row.int)
        #expect(any as? Int64 == row.int.map(Int64.init))
        #expect(any as? UInt == row.uint)
        #expect(any as? Double == row.double)
        #expect(any as? Float == row.float)
        #expect(any as? Bool == row.bool)
        #expect(any is NSNumber)
        #expect(!(any is String))
    }

    @Test("NaN casts to the types that have it")
    func nan() {
        let any = self.any(.double(.nan))
        #expect((any as? Double)?.isNaN == true)
        #expect((any as? Float)?.isNaN == true)
        #expect(any as? Int == nil)
    }

    @Test("Arrays and maps cast to arrays and dictionaries of Swift types")
    func collections() {
        let list = self.any(.array([.integer(1), .integer(2)]))
        #expect(list as? [Int] == [1, 2])
        #expect(list as? [Double] == [1, 2])
        #expect((list as? [Any])?.count == 2)
        #expect(list as? [String] == nil)
        let map = self.any(
            .map([Value.MapEntry(key: "a", value: .array([.map([])])), Value.MapEntry(key: "b", value: .string("x"))])
        )
        let dictionary = map as? [String: Any]
        #expect(dictionary?["b"] as? String == "x")
        #expect((dictionary?["a"] as? [[String: Any]])?.count == 1)
    }

    @Test("Other values are the library's and Foundation's types")
    func others() {
        #expect(self.any(.null) is NSNull)
        #expect(self.any(.bytes([1])) as? Data == Data([1]))
        #expect(
            self.any(.timestamp(BrasaDocuments.Timestamp(microseconds: 5))) as? Timestamp
                == Timestamp(seconds: 0, nanoseconds: 5000)
        )
        #expect(self.any(.geoPoint(latitude: 1, longitude: 2)) as? GeoPoint == GeoPoint(latitude: 1, longitude: 2))
        #expect(self.any(.vector([1, 2])) as? VectorValue == VectorValue([1, 2]))
        let reference = self.database.document("a/b")
        #expect(self.any(.reference(sound(try reference.name))) as? DocumentReference == reference)
    }

    @Test("That references lead elsewhere is said once of each database, and not of any number of them")
    func news() throws {
        let names = (0..<20).map { Databases.new(project: "other-\($0)").database }
        let said = (0..<3).map { _ in names.filter { self.database.isNews($0) }.count }
        #expect(said == [16, 0, 0])
    }

    @Test("A line for a log that nobody can read is lost, and nothing else")
    func closedLog() async {
        await #expect(processExitsWith: .success) {
            try FileHandle.standardError.close()
            Firestore.log.notice("a line")
        }
    }

    @Test("A reference into another database is one into this")
    func rebound() {
        let other = Databases.new(project: "other").document("a/b")
        #expect(self.any(.reference(sound(try other.name))) as? DocumentReference == self.database.document("a/b"))
    }

    @Test("A pending server timestamp is null, its estimate or what was there before")
    func pending() {
        let time = BrasaDocuments.Timestamp(microseconds: 7_000_000)
        let pending = PendingTimestamp(localWriteTime: time, replacing: .string("before")).value
        #expect(self.any(pending) is NSNull)
        #expect(self.any(pending, .estimate) as? Timestamp == Timestamp(seconds: 7, nanoseconds: 0))
        #expect(self.any(pending, .previous) as? String == "before")
        let first = PendingTimestamp(localWriteTime: time, replacing: nil).value
        #expect(self.any(first, .previous) is NSNull)
    }

    @Test("What is written is read back equal")
    func roundTrip() throws {
        let data: [String: Any] = [
            "null": NSNull(), "boolean": true, "integer": 42, "double": 4.65, "text": "é", "bytes": Data([0, 255]),
            "time": Timestamp(seconds: 1, nanoseconds: 2000), "place": GeoPoint(latitude: -1, longitude: 1),
            "vector": VectorValue([1, 2]), "reference": self.database.document("a/b"),
            "list": [1, "x", ["k": [true]]] as [Any], "map": ["a": ["b": 1]],
        ]
        let reader = WriteReader(name: try self.database.document("a/b").name)
        guard case .set(let fields) = try reader.set(data).operation else { return }
        let map = ValueWriter(firestore: self.database, behavior: .none).map(fields.decoded)
        #expect(map as NSDictionary as? [String: Any] != nil)
        guard case .set(let again) = try reader.set(map).operation else { return }
        #expect(again == fields)
        #expect(map.count == data.count)
    }
}
