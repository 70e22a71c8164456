import BrasaDocuments
import BrasaQueryModel
import Testing

struct EncodedFieldsTests {
    private func refused(_ bytes: [UInt8]) -> String? {
        refusal { () throws(DocumentError) in try EncodedFields(validating: bytes) }?.message
    }

    @Test func `Bytes lie behind the address that is given for them`() {
        for count in [0, 1, 100, 70_000] {
            let bytes = ByteString([UInt8](repeating: 7, count: count))
            let distance = bytes.withUnsafeBytes { $0.baseAddress.map { $0 - bytes.address } }
            #expect(distance.map { (8...32).contains($0) } == true)
        }
    }

    @Test func `Values survive encoding and decoding, and canonical bytes stay as they are`() throws {
        for seed in 0..<500 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let encoded = EncodedFields(encoding: generator.entries())
            #expect(try encoded.validated() == encoded, "seed \(seed)")
            #expect(EncodedFields(encoding: encoded.decoded) == encoded, "seed \(seed)")
            for entry in encoded.decoded {
                let bytes = entry.value.encoded()
                #expect(try Value(decoding: bytes).encoded() == bytes, "seed \(seed)")
                let path = try FieldPath(names: [entry.key])
                #expect(encoded.encodedValue(at: path).map { Array($0) } == bytes, "seed \(seed)")
                #expect(encoded.value(at: path) == entry.value, "seed \(seed)")
            }
        }
    }

    @Test func `Each spelling of the same fields becomes the same bytes`() throws {
        let canonical = fields([
            "a": 1, "b": map(["x": true, "y": .null]), "c": .timestamp(Timestamp(microseconds: 1_000_002)),
            "d": .double(.nan),
        ])
        let a = Wire.entry("a", Wire.integer(1))
        let b = Wire.entry(
            "b",
            Wire.map(
                Wire.entry("y", Wire.field(11, varint: 7), field: 1),
                Wire.entry("x", Wire.field(1, varint: 9), field: 1)
            )
        )
        let c = Wire.entry("c", Wire.timestamp(1, 2_999))
        let d = Wire.entry("d", Wire.double(Double(nan: 5, signaling: false)))
        #expect(try EncodedFields(validating: d + c + b + a) == canonical)
        // an older value of the same key, another member before the last one, unknown fields, parts in other order
        #expect(try EncodedFields(validating: Wire.entry("a", Wire.string("old")) + a + b + c + d) == canonical)
        #expect(
            try EncodedFields(validating: Wire.entry("a", Wire.string("x") + Wire.integer(1)) + b + c + d) == canonical
        )
        #expect(
            try EncodedFields(validating: Wire.entry("a", Wire.text(99, "x") + Wire.integer(1)) + b + c + d)
                == canonical
        )
        #expect(
            try EncodedFields(validating: Wire.field(2, Wire.field(2, Wire.integer(1)) + Wire.text(1, "a")) + b + c + d)
                == canonical
        )
        let long: [UInt8] = [0x12, 0x87, 0x00, 0x0A, 0x01] + Array("a".utf8) + [0x12, 0x02, 0x10, 0x01]
        #expect(try EncodedFields(validating: long + b + c + d) == canonical)
        let padded = Wire.entry("a", Wire.varint(2 << 3) + Wire.varint(1, paddedTo: 4))
        #expect(try EncodedFields(validating: padded + b + c + d) == canonical)
    }

    @Test func `One fault alone makes bytes not canonical`() throws {
        let a = Wire.entry("a", Wire.integer(1))
        let b = Wire.entry("b", Wire.integer(2))
        let expected = fields(["a": 1, "b": 2])
        for faulty in [
            Wire.entry("a", Wire.integer(3)) + a + b, b + a, a + Wire.text(9, "x") + b,
            a + Wire.entry("b", Wire.integer(3) + Wire.integer(2)),
            a + Wire.field(2, Wire.text(1, "b") + Wire.field(2, Wire.integer(2)) + Wire.text(3, "x")),
        ] {
            #expect(try EncodedFields(validating: faulty) == expected)
        }
    }

    @Test func `Maps of every size are sorted, the last of equal keys stays`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var last: [String: Value] = [:]
            var message: [UInt8] = []
            for index in 0..<random.below(60) {
                let key = "k\(random.below(40))"
                last[key] = .integer(Int64(index))
                message += Wire.entry(key, Wire.integer(Int64(index)))
            }
            let expected = EncodedFields(encoding: last.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value) })
            #expect(try EncodedFields(validating: message) == expected, "seed \(seed)")
        }
    }

    @Test func `A message's other fields are read or stepped over`() throws {
        let name = "projects/p/databases/d/documents/c/d"
        let entries = [Wire.entry("a", Wire.integer(1)), Wire.entry("b", Wire.integer(2))]
        let times = Wire.field(3, Wire.field(1, varint: 5)) + Wire.field(4, Wire.field(1, varint: 6))
        let message = Wire.text(1, name) + entries[0] + times + entries[1] + Wire.field(77, varint: 3)
        let decoded = try message.withUnsafeBytes { try DocumentMessage(decoding: $0) }
        #expect(Array(message[decoded.name]) == Array(name.utf8))
        #expect(decoded.createTime == Timestamp(microseconds: 5_000_000))
        #expect(decoded.updateTime == Timestamp(microseconds: 6_000_000))
        #expect(decoded.fields == fields(["a": 1, "b": 2]))
    }

    @Test func `Zero members and the sign of zero are kept`() throws {
        let encoded = fields([
            "a": 0, "b": false, "c": "", "d": .bytes([]), "e": .array([]), "f": map([:]), "g": 0.0, "h": .double(-0.0),
            "i": .timestamp(Timestamp(microseconds: 0)), "j": .geoPoint(latitude: 0, longitude: -0.0),
        ])
        #expect(try encoded.validated() == encoded)
        #expect(encoded.decoded.count == 10)
        #expect(encoded.encodedValue(at: field("g")) != encoded.encodedValue(at: field("h")))
    }

    @Test(arguments: [
        (Wire.entry("a", []), "Cannot convert firestore.v1.Value with type unset."),
        (Wire.field(2, Wire.text(1, "a")), "Cannot convert firestore.v1.Value with type unset."),
        (Wire.entry("a", Wire.text(2, "wrong type")), "Cannot convert firestore.v1.Value with type unset."),
        (Wire.entry("a", Wire.text(19, "f")), "Cannot convert firestore.v1.Value with type field_reference_value."),
        (Wire.entry("", Wire.integer(1)), "The property.name is the empty string."),
        (Wire.entry("__id__", Wire.integer(1)), "field name __id__ is reserved"),
        (Wire.entry("__type__", Wire.integer(1)), "field name __type__ is reserved"),
        (
            Wire.entry(String(repeating: "x", count: 1_501), Wire.integer(1)),
            "The property.name is longer than 1500 bytes."
        ),
        (
            Wire.entry(
                String(repeating: "x", count: 1_000),
                Wire.map(Wire.entry(String(repeating: "y", count: 500), Wire.integer(1), field: 1))
            ),
            "property path is longer than 1500 bytes."
        ),
        (Wire.entry("a", Wire.array(Wire.array())), "Nested arrays are not allowed"),
        (
            Wire.entry("a", Wire.timestamp(253_402_300_800, 0)),
            "Timestamp is outside the range 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z."
        ),
        (Wire.entry("a", Wire.geoPoint(91, 0)), "Geo point latitude '91.0' outside permitted range -90.0 to 90.0."),
        (
            Wire.entry("a", Wire.geoPoint(0, -181)),
            "Geo point longitude '-181.0' outside permitted range -180.0 to 180.0."
        ),
        (Wire.entry("a", Wire.geoPoint(.nan, 0)), "Geo point latitude 'nan' outside permitted range -90.0 to 90.0."),
        (
            Wire.entry("blob", Wire.field(18, [UInt8](repeating: 0, count: 1_048_488))),
            #"The value of property "blob" is longer than 1048487 bytes."#
        ),
        (
            Wire.entry("a", Wire.text(5, "projects/p/databases/d/documents/c")),
            #"Document parent name "projects/p/databases/d/documents/c" lacks "/" at index 34."#
        ),
        (Wire.entry("a", Wire.text(5, "x")), #"Document name "x" lacks "projects" at index 0."#),
        (Wire.entry("a", Wire.field(17, [0xC3])), #"The value of property "a" is not valid UTF-8."#),
        (Wire.field(2, Wire.field(1, [0xC3]) + Wire.field(2, Wire.integer(1))), "The field name is not valid UTF-8."),
        ([0x12, 0x05], "The request is not a valid protocol buffer message."),
        ([0x13, 0x14], "The request is not a valid protocol buffer message."),
    ])
    func `A field that breaks a rule is refused with its reason`(bytes: [UInt8], message: String) {
        #expect(self.refused(bytes) == message)
    }

    @Test func `Maps and arrays nest twenty levels`() {
        func nested(_ levels: Int, arrayAtBottom: Bool) -> [UInt8] {
            var value =
                arrayAtBottom ? Wire.array(Wire.integer(1)) : Wire.map(Wire.entry("x", Wire.integer(1), field: 1))
            for _ in 1..<levels { value = Wire.map(Wire.entry("x", value, field: 1)) }
            return Wire.entry("a", value)
        }
        for bottom in [true, false] {
            #expect(self.refused(nested(20, arrayAtBottom: bottom)) == nil)
            #expect(self.refused(nested(21, arrayAtBottom: bottom)) == "Property a contains an invalid nested entity.")
            #expect(
                self.refused(nested(5_000, arrayAtBottom: bottom)) == "Property a contains an invalid nested entity."
            )
        }
    }

    @Test func `A vector is the only map with a type`() throws {
        func vector(_ elements: [UInt8], mark: String = "__vector__", extra: [UInt8] = []) -> [UInt8] {
            Wire.entry(
                "v",
                Wire.map(
                    Wire.entry("value", elements, field: 1),
                    Wire.entry("__type__", Wire.string(mark), field: 1),
                    extra
                )
            )
        }
        let one = Wire.array(Wire.double(1), Wire.integer(2))
        #expect(try EncodedFields(validating: vector(one)).value(at: field("v"))?.vectorComponents == [1, 2])
        #expect(self.refused(vector(one, mark: "x")) == "field name __type__ is reserved")
        #expect(
            self.refused(vector(one, extra: Wire.entry("z", Wire.integer(1), field: 1)))
                == "field name __type__ is reserved"
        )
        #expect(self.refused(vector(Wire.integer(1))) == "field name __type__ is reserved")
        #expect(self.refused(vector(Wire.array(Wire.string("x")))) == "Vectors must contain only numbers.")
        #expect(self.refused(vector(Wire.field(9, []))) == "Cannot have a zero length vector.")
        #expect(self.refused(vector(Wire.array(Wire.double(.nan)))) == "Vector cannot contain NaN values.")
        let long = Wire.field(9, (0...2_048).flatMap { _ in Wire.field(1, Wire.double(1)) })
        #expect(self.refused(vector(long)) == "Vectors must be at most 2048 dimensions.")
    }

    @Test(arguments: [
        "__min__", "__max__", "__oid__", "__int__", "__decimal128__", "__binary__", "__request_timestamp__",
        "__regex__",
    ])
    func `A map with one reserved key of newer clients passes`(key: String) {
        let entry = Wire.entry(key, Wire.field(11, varint: 0), field: 1)
        #expect(self.refused(Wire.entry("a", Wire.map(entry))) == nil)
        #expect(
            self.refused(Wire.entry("a", Wire.map(entry, Wire.entry("z", Wire.integer(1), field: 1))))
                == "field name \(key) is reserved"
        )
        #expect(self.refused(Wire.entry(key, Wire.integer(1))) == "field name \(key) is reserved")
    }

    @Test func `A value is found at its path without decoding the others`() {
        let encoded = fields(["a": map(["b": map(["c": 1]), "d.e": 2]), "z": .array([1])])
        #expect(encoded.value(at: field("a.b.c")) == 1)
        #expect(encoded.value(at: field("a.`d.e`")) == 2)
        #expect(encoded.value(at: field("a.b.x")) == nil)
        #expect(encoded.value(at: field("z.a")) == nil)
        #expect(encoded.value(at: field("a.b.c.d")) == nil)
        #expect(EncodedFields.empty.value(at: field("a")) == nil)
    }

    @Test(arguments: [
        ([], []), (["a"], ["a"]), (["a.b"], ["a.b"]), (["a.b", "a"], ["a"]), (["x", "__name__"], []), (["a.x"], []),
        (["z.q"], []),
        (["z", "a.`d.e`"], ["a.`d.e`", "z"]), (["a.b.c", "a.b"], ["a.b"]), (["a.b.c", "a.b", "z", "z"], ["a.b", "z"]),
    ])
    func `A mask keeps what it names and nothing else`(mask: [String], kept: [String]) throws {
        let whole = fields(["a": map(["b": map(["c": 1, "d": 1]), "d.e": 2]), "y": 1, "z": .array([1])])
        let projected = whole.projected(to: mask.map(field))
        #expect(try projected.validated() == projected)
        for path in ["a", "a.b", "a.b.c", "a.b.d", "a.`d.e`", "y", "z"].map(field) {
            let isKept = kept.map(field).contains { $0.contains(path) || path.contains($0) }
            #expect((projected.value(at: path) != nil) == isKept, "\(path)")
        }
        if kept.isEmpty { #expect(projected == .empty) }
    }
}
