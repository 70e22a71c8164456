import BrasaDocuments
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Values from users")
struct ValueReaderTests {
    let database = Databases.new()

    private func read(_ given: Any, _ use: ValueReader.Use = .set) throws -> Value? {
        var reader = ValueReader(database: self.database.database, use: use)
        return try reader.value(given)
    }

    /// Equal as bytes: an integer is no double.
    private func expect(_ given: Any, is expected: Value, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(try self.read(given)?.encoded() == expected.encoded(), sourceLocation: location)
    }

    @Test("Numbers keep their kind, whichever type or box they come in")
    func numbers() throws {
        for integer in [Int8(5), Int16(5), Int32(5), Int64(5), UInt8(5), UInt16(5), UInt32(5), UInt64(5), UInt(5), 5]
            as [Any]
        {
            try self.expect(integer, is: .integer(5))
        }
        for boxed in [NSNumber(value: 5), NSNumber(value: Int8(5)), NSNumber(value: UInt64(5))] {
            try self.expect(boxed, is: .integer(5))
        }
        for double in [5.0, Float(5), CGFloat(5), Decimal(5), NSNumber(value: 5.0), NSNumber(value: Float(5))] as [Any]
        {
            try self.expect(double, is: .double(5))
        }
        // Foundation makes a decimal of a number with so many digits.
        let parsed = try JSONSerialization.jsonObject(with: Data("[0.30000000000000004]".utf8)) as? [Any]
        try self.expect(try #require(parsed?.first), is: .double(0.1 + 0.2))
        try self.expect(Int8(1), is: .integer(1))
        try self.expect(NSNumber(value: 1), is: .integer(1))
        try self.expect(UInt64(Int64.max), is: .integer(.max))
        #expect(throws: UsageError.self) { try self.read(UInt64(Int64.max) + 1) }
    }

    @Test("Booleans are no numbers, in a box or not")
    func booleans() throws {
        try self.expect(true, is: .boolean(true))
        try self.expect(NSNumber(value: false), is: .boolean(false))
    }

    @Test("Null is NSNull and every nil")
    func null() throws {
        try self.expect(NSNull(), is: .null)
        try self.expect(Int?.none as Any, is: .null)
        try self.expect(Int??.some(.none) as Any, is: .null)
        try self.expect(["a": String?.none as Any], is: .map([Value.MapEntry(key: "a", value: .null)]))
        try self.expect(Int?.some(3) as Any, is: .integer(3))
    }

    @Test("Dates that no timestamp can be are errors")
    func dates() throws {
        for interval in [Double.nan, .infinity, -.infinity, 1e300, 253_402_300_800, -62_135_596_801] {
            #expect(throws: UsageError.self) { try self.read(Date(timeIntervalSince1970: interval)) }
        }
        try self.expect(Date(timeIntervalSince1970: -62_135_596_800), is: .timestamp(.earliest))
    }

    @Test("Texts, bytes, times, places, vectors and references become the database's types")
    func others() throws {
        try self.expect("é", is: .string("é"))
        try self.expect(NSString("x"), is: .string("x"))
        try self.expect(Data([1, 2]), is: .bytes([1, 2]))
        let time = BrasaDocuments.Timestamp(microseconds: 1_500_000)
        try self.expect(Date(timeIntervalSince1970: 1.5), is: .timestamp(time))
        try self.expect(Timestamp(seconds: 1, nanoseconds: 500_000_999), is: .timestamp(time))
        try self.expect(GeoPoint(latitude: 1, longitude: 2), is: .geoPoint(latitude: 1, longitude: 2))
        try self.expect(VectorValue([1, 2]), is: .vector([1, 2]))
        let reference = self.database.document("a/b")
        try self.expect(reference, is: .reference(reference.name))
    }

    @Test("Arrays and maps nest")
    func nesting() throws {
        let expected = Value.map(sorting: [
            Value.MapEntry(
                key: "b",
                value: .array([.integer(1), .map([Value.MapEntry(key: "c", value: .array([]))])])
            ),
            Value.MapEntry(key: "a", value: .map([])),
        ])
        try self.expect(["b": [1, ["c": [Int]()]] as [Any], "a": [String: Any]()] as [String: Any], is: expected)
        let dictionary: NSDictionary = ["b": NSArray(array: [1, ["c": NSArray()]]), "a": NSDictionary()]
        try self.expect(dictionary, is: expected)
    }

    @Test("What the database has no type for is refused")
    func unsupported() {
        struct Own {}
        let others: [Any] = [
            Own(), UUID(), Set([1]), ["a": Own()], [[1]], [1: 2], ["": 1], ["__x__": 1], ["a": ["__x__": 1]],
            ["____": 1],
            Databases.new(project: "other").document("a/b"), Databases.new(database: "other").document("a/b"),
        ]
        for other in others {
            #expect(throws: UsageError.self, "\(other)") { try self.read(other) }
        }
        #expect(throws: Never.self) { try self.read([["a": [1]]]) }
    }

    @Test("The error says where the value is")
    func place() {
        let error = #expect(throws: UsageError.self) { try self.read(["a": ["b": Set([1])]]) }
        #expect(error?.message.contains("a.b") == true)
    }

    @Test("Operations are refused where they cannot be")
    func operations() {
        let anyOperation = FieldValue.increment(1)
        for use in [ValueReader.Use.element, .operand] {
            #expect(throws: UsageError.self) { try self.read(anyOperation, use) }
            #expect(throws: UsageError.self) { try self.read(["a": anyOperation], use) }
        }
        for use in [ValueReader.Use.set, .merge, .update] {
            #expect(throws: UsageError.self) { try self.read(["a": [anyOperation]], use) }
            #expect(throws: UsageError.self) { try self.read(["a": [["b": anyOperation]]], use) }
            #expect(throws: UsageError.self) { try self.read(["a": FieldValue.arrayUnion([[1]])], use) }
            #expect(throws: UsageError.self) { try self.read(["a": FieldValue.arrayUnion([anyOperation])], use) }
        }
        #expect(throws: UsageError.self) { try self.read(["a": FieldValue.delete()], .set) }
        #expect(throws: UsageError.self) { try self.read([1], .element) }
        #expect(throws: Never.self) { try self.read(["a": [1]], .element) }
    }
}
