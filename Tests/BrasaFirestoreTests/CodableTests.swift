import BrasaDocuments
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Codable")
struct CodableTests {
    let database = Databases.new()

    struct City: Codable, Equatable {
        @DocumentID var id: String?
        var name: String
        var population: Int
        var area: Double?
        var capital = false
        var founded: Date
        var place: GeoPoint
        var flag: Data
        var site: URL
        var twins: [String: [Int]]
        var nested: Nested?
        @ServerTimestamp var changed: Timestamp?
        @ExplicitNull var mayor: String?

        struct Nested: Codable, Equatable {
            var vector: VectorValue
            var levels: [Level]
        }

        enum Level: String, Codable { case low, high }
    }

    private func city() -> City {
        City(
            name: "SF",
            population: 860_000,
            founded: Date(timeIntervalSince1970: 1.5),
            place: GeoPoint(latitude: 1, longitude: 2),
            flag: Data([1, 2]),
            site: URL(string: "https://example.org/a") ?? URL(fileURLWithPath: "/"),
            twins: ["a": [1, 2]],
            nested: City.Nested(vector: VectorValue([1]), levels: [.high])
        )
    }

    private func snapshot(_ data: [String: Any]?) throws -> DocumentSnapshot {
        let reference = self.database.document("cities/SF")
        var fields: EncodedFields?
        if let data, case .set(let encoded) = try WriteReader(name: reference.name).set(data).operation {
            fields = encoded
        }
        return DocumentSnapshot(
            reference: reference,
            fields: fields,
            metadata: SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
        )
    }

    @Test("A value becomes the fields of a document")
    func encode() throws {
        let data = try Firestore.Encoder().encode(self.city())
        #expect(
            Set(data.keys) == [
                "name", "population", "capital", "founded", "place", "flag", "site", "twins", "nested", "changed",
                "mayor",
            ]
        )
        #expect(data["founded"] as? Timestamp == Timestamp(seconds: 1, nanoseconds: 500_000_000))
        #expect(data["flag"] as? Data == Data([1, 2]))
        #expect(data["site"] as? String == "https://example.org/a")
        #expect(data["changed"] as? FieldValue == FieldValue.serverTimestamp())
        #expect(data["mayor"] is NSNull)
        #expect((data["nested"] as? [String: Any])?["levels"] as? [String] == ["high"])
    }

    @Test("A document becomes a value, with its ID")
    func decode() throws {
        var data = try Firestore.Encoder().encode(self.city())
        data["changed"] = Timestamp(seconds: 9, nanoseconds: 0)
        data["id"] = "ignored"
        data["unknown"] = 1
        let snapshot = try self.snapshot(data)
        var expected = self.city()
        expected.id = "SF"
        expected.changed = Timestamp(seconds: 9, nanoseconds: 0)
        #expect(try snapshot.data(as: City.self) == expected)
        // The same out of what `data()` gives.
        let given = try #require(snapshot.data())
        #expect(try Firestore.Decoder().decode(City.self, from: given, in: snapshot.reference) == expected)
    }

    @Test("A document that does not exist is null")
    func missing() throws {
        #expect(try self.snapshot(nil).data(as: City?.self) == nil)
        #expect(throws: DecodingError.self) { try self.snapshot(nil).data(as: City.self) }
        #expect(throws: DecodingError.self) { try self.snapshot(nil).data(as: [String: Int].self) }
    }

    @Test("Only what has fields is a document")
    func topLevel() throws {
        struct Empty: Codable {}
        #expect(try Firestore.Encoder().encode(Empty()).isEmpty)
        #expect(try Firestore.Encoder().encode(["a": 1]) as? [String: Int] == ["a": 1])
        #expect(throws: EncodingError.self) { try Firestore.Encoder().encode([1]) }
        #expect(throws: EncodingError.self) { try Firestore.Encoder().encode(1) }
        #expect(throws: EncodingError.self) { try Firestore.Encoder().encode(FieldValue.delete()) }
        #expect(throws: EncodingError.self) { try Firestore.Encoder().encode(self.database.document("a/b")) }
        #expect(throws: EncodingError.self) { try Firestore.Encoder().encode(Int?.none) }
    }

    struct Box<T: Decodable>: Decodable { var v: T }

    private func decode<T: Decodable>(_ type: T.Type, _ value: Any) throws -> T {
        let stored = Result { try self.snapshot(["v": value]).data(as: Box<T>.self).v }
        let given = Result { try Firestore.Decoder().decode(Box<T>.self, from: ["v": value]).v }
        // Both ways in say the same.
        switch (stored, given) {
        case (.success(let stored), .success(let given)): #expect("\(stored)" == "\(given)")
        case (.failure(let stored), .failure(let given)): #expect(Self.kind(stored) == Self.kind(given))
        default: Issue.record("\(stored) but \(given)")
        }
        return try stored.get()
    }

    private static func kind(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch: "typeMismatch"
        case DecodingError.valueNotFound: "valueNotFound"
        case DecodingError.keyNotFound: "keyNotFound"
        case DecodingError.dataCorrupted: "dataCorrupted"
        case FirestoreDecodingError.decodingIsNotSupported: "notSupported"
        default: "\(error)"
        }
    }

    private func expect<T: Decodable>(
        _ type: T.Type,
        from value: Any,
        fails kind: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: (any Error).self, sourceLocation: location) { try self.decode(type, value) }
        #expect(error.map(Self.kind) == kind, sourceLocation: location)
    }

    @Test("Numbers decode where they fit")
    func numbers() throws {
        #expect(try self.decode(Int.self, 3.0) == 3)
        #expect(try self.decode(UInt8.self, 255) == 255)
        #expect(try self.decode(Double.self, 9_007_199_254_740_993) == 9_007_199_254_740_992)
        #expect(try self.decode(Float.self, 4.65) == 4.65)
        // Foundation makes a decimal of a number with so many digits.
        let parsed = try JSONSerialization.jsonObject(with: Data("[0.30000000000000004]".utf8)) as? [Any]
        #expect(try self.decode(Double.self, try #require(parsed?.first)) == 0.1 + 0.2)
        #expect(try self.decode(Decimal.self, 4) == 4)
        #expect(try self.decode(Decimal.self, 0.5) == 0.5)
        #expect(try self.decode(Decimal.self, Double.nan).isNaN)
        for double in [Double.infinity, -.infinity, 1e300, -1e300, 1e-300] {
            self.expect(Decimal.self, from: double, fails: "dataCorrupted")
        }
        #expect(try self.decode(Bool.self, true))
        self.expect(Int.self, from: 45.5, fails: "dataCorrupted")
        self.expect(UInt8.self, from: 256, fails: "dataCorrupted")
        self.expect(UInt.self, from: -1, fails: "dataCorrupted")
        self.expect(Float.self, from: 1e300, fails: "dataCorrupted")
        self.expect(Int.self, from: true, fails: "typeMismatch")
        self.expect(Int.self, from: "1", fails: "typeMismatch")
        self.expect(Bool.self, from: 1, fails: "typeMismatch")
        self.expect(Double.self, from: "1", fails: "typeMismatch")
        self.expect(String.self, from: 1, fails: "typeMismatch")
        self.expect(Int.self, from: NSNull(), fails: "valueNotFound")
    }

    @Test("Foundation's types decode from the database's")
    func foundation() throws {
        #expect(try self.decode(Date.self, Timestamp(seconds: 5, nanoseconds: 0)) == Date(timeIntervalSince1970: 5))
        #expect(try self.decode(Data.self, Data([7])) == Data([7]))
        #expect(try self.decode(Data.self, "Bw==") == Data([7]))
        #expect(try self.decode(URL.self, "https://example.org").host() == "example.org")
        self.expect(Date.self, from: 5, fails: "typeMismatch")
        self.expect(Data.self, from: 5, fails: "typeMismatch")
        self.expect(URL.self, from: "", fails: "dataCorrupted")
    }

    @Test("The library's types decode from themselves, some from maps as well")
    func passThrough() throws {
        let reference = self.database.document("a/b")
        #expect(try self.decode(DocumentReference.self, reference) == reference)
        #expect(try self.decode(GeoPoint.self, GeoPoint(latitude: 1, longitude: 2)).longitude == 2)
        #expect(try self.decode(GeoPoint.self, ["latitude": 1, "longitude": 2]).longitude == 2)
        #expect(
            try self.decode(Timestamp.self, ["seconds": 1, "nanoseconds": 2]) == Timestamp(seconds: 1, nanoseconds: 2)
        )
        #expect(try self.decode(VectorValue.self, ["array": [1.5]]) == VectorValue([1.5]))
        self.expect(DocumentReference.self, from: "a/b", fails: "notSupported")
        self.expect(DocumentReference.self, from: NSNull(), fails: "valueNotFound")
        self.expect(GeoPoint.self, from: 1, fails: "typeMismatch")
        self.expect(Timestamp.self, from: ["seconds": 1], fails: "keyNotFound")
    }

    struct Wrapped: Codable, Equatable {
        @ServerTimestamp var time: Date?
        @ExplicitNull var text: String?
    }

    @Test("Wrappers need their keys and take null for nil")
    func wrappers() throws {
        let decoder = Firestore.Decoder()
        let full = try decoder.decode(Wrapped.self, from: ["time": Timestamp(seconds: 1, nanoseconds: 0), "text": "x"])
        #expect(full == Wrapped(time: Date(timeIntervalSince1970: 1), text: "x"))
        #expect(try decoder.decode(Wrapped.self, from: ["time": NSNull(), "text": NSNull()]) == Wrapped())
        for data in [["time": NSNull()], ["text": NSNull()]] {
            #expect(throws: DecodingError.self) { try decoder.decode(Wrapped.self, from: data) }
        }
        #expect(throws: DecodingError.self) { try decoder.decode(Wrapped.self, from: ["time": 1, "text": "x"]) }
        let data = try Firestore.Encoder().encode(Wrapped(time: Date(timeIntervalSince1970: 1)))
        #expect(data["time"] as? Timestamp == Timestamp(seconds: 1, nanoseconds: 0))
    }

    @Test("Dates that no timestamp can be are errors")
    func outOfRange() throws {
        struct Strategy: Codable { let time: Date }
        struct Stamp: Codable { let time: Timestamp }
        let encoder = Firestore.Encoder()
        encoder.dateEncodingStrategy = .timestamp
        for interval in [Double.nan, .infinity, -.infinity, 1e300, 253_402_300_800, -62_135_596_801] {
            let date = Date(timeIntervalSince1970: interval)
            #expect(throws: EncodingError.self) { try encoder.encode(Strategy(time: date)) }
            let error = #expect(throws: NSError.self) { try encoder.encode(Wrapped(time: date)) }
            #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
            #expect(throws: DecodingError.self) { try Firestore.Decoder().decode(Stamp.self, from: ["time": date]) }
        }
    }

    @Test("A document's ID is known only to the database's own decoder, and never written by another encoder")
    func documentID() throws {
        struct Holder: Codable { @DocumentID var id: String? }
        struct ReferenceHolder: Codable { @DocumentID var reference: DocumentReference? }
        #expect(throws: FirestoreDecodingError.self) {
            try Firestore.Decoder().decode(Holder.self, from: [String: Any]())
        }
        #expect(throws: (any Error).self) { try JSONDecoder().decode(Holder.self, from: Data(#"{"id":"x"}"#.utf8)) }
        #expect(throws: FirestoreEncodingError.self) { try JSONEncoder().encode(Holder(id: "x")) }
        #expect(try Firestore.Encoder().encode(Holder(id: "x")).isEmpty)
        let reference = self.database.document("a/b")
        #expect(
            try Firestore.Decoder().decode(ReferenceHolder.self, from: [String: Any](), in: reference).reference
                == reference
        )
    }

    @Test("Strategies are those of the JSON coders")
    func strategies() throws {
        struct Value: Codable, Equatable {
            var someURL: String
            var date: Date
            var data: Data
            var number: Double
            var byKey: [String: Int]
        }
        let value = Value(
            someURL: "u",
            date: Date(timeIntervalSince1970: 5),
            data: Data([7]),
            number: .infinity,
            byKey: ["keyOne": 1]
        )
        let encoder = Firestore.Encoder()
        #expect(throws: EncodingError.self) { try encoder.encode(value) }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+",
            negativeInfinity: "-",
            nan: "?"
        )
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.dataEncodingStrategy = .base64
        let data = try encoder.encode(value)
        #expect(data["some_url"] as? String == "u")
        #expect(data["date"] as? Double == 5)
        #expect(data["data"] as? String == "Bw==")
        #expect(data["number"] as? String == "+")
        #expect(data["by_key"] as? [String: Int] == ["keyOne": 1])
        let decoder = Firestore.Decoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+",
            negativeInfinity: "-",
            nan: "?"
        )
        decoder.keyDecodingStrategy = .custom { path in
            let name = path.last?.stringValue ?? ""
            return AnyCodingKey(stringValue: name == "some_url" ? "someURL" : name == "by_key" ? "byKey" : name)
        }
        decoder.dateDecodingStrategy = .secondsSince1970
        #expect(try decoder.decode(Value.self, from: data) == value)
    }

    @Test(
        "Names become snake case and back",
        arguments: [
            ("a", "a", "a"), ("oneTwo", "one_two", "oneTwo"), ("myURLProperty", "my_url_property", "myUrlProperty"),
            ("URL", "url", "url"), ("_oneTwo_", "_one_two_", "_oneTwo_"), ("a1B", "a1_b", "a1B"),
        ]
    )
    func snakeCase(name: String, snake: String, back: String) {
        #expect(SnakeCase.encoded(name) == snake)
        #expect(SnakeCase.decoded(snake) == back)
    }

    class Base: Codable {
        var a = 1
    }

    final class Derived: Base {
        var b = 2
        private enum CodingKeys: String, CodingKey { case b }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.b = try container.decode(Int.self, forKey: .b)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.b, forKey: .b)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("A superclass is a map of its own")
    func superclass() throws {
        let data = try Firestore.Encoder().encode(Derived())
        #expect((data["super"] as? [String: Any])?["a"] as? Int == 1)
        #expect(try Firestore.Decoder().decode(Derived.self, from: data).b == 2)
    }
}
