import BrasaDocuments
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Writes from users")
struct WriteReaderTests {
    let database = Databases.new()
    var reader: WriteReader { WriteReader(name: sound(try self.database.document("cities/SF").name)) }

    private func path(_ text: String) -> BrasaDocuments.FieldPath {
        sound(try FieldPath(text.split(separator: ".").map(String.init)).stored)
    }

    private func expect(
        _ write: Write,
        fields: [String: Any],
        mask: [String]?,
        transforms: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try WriteReader(name: self.reader.name).set(fields)
        guard case .set(let expectedFields) = expected.operation else { return }
        switch write.operation {
        case .set(let fields):
            #expect(fields == expectedFields, sourceLocation: location)
            #expect(mask == nil, sourceLocation: location)
        case .merge(let fields, let paths):
            #expect(fields == expectedFields, sourceLocation: location)
            #expect(paths.map(\.canonical) == mask, sourceLocation: location)
        default: Issue.record("another operation", sourceLocation: location)
        }
        #expect(write.transforms.map(\.path.canonical) == transforms, sourceLocation: location)
    }

    @Test("Data that is set replaces the document, operations apart")
    func set() throws {
        let write = try self.reader.set([
            "a": 1, "m": ["t": FieldValue.serverTimestamp(), "x": 2], "n": FieldValue.increment(1),
        ])
        try self.expect(write, fields: ["a": 1, "m": ["x": 2]], mask: nil, transforms: ["m.t", "n"])
        #expect(write.precondition == nil)
        #expect(try self.reader.set([:]).transforms.isEmpty)
    }

    @Test("A merge changes the leaves of its data; an empty map is one, an array is one")
    func merge() throws {
        let write = try self.reader.merge([
            "a": 1, "m": ["x": 2, "e": [String: Any](), "d": FieldValue.delete(), "t": FieldValue.serverTimestamp()],
            "l": [["k": 1]], "gone": FieldValue.delete(),
        ])
        try self.expect(
            write,
            fields: ["a": 1, "m": ["x": 2, "e": [String: Any]()], "l": [["k": 1]]],
            mask: ["a", "gone", "l", "m.d", "m.e", "m.x"],
            transforms: ["m.t"]
        )
        #expect(write.precondition == nil)
        try self.expect(try self.reader.merge([:]), fields: [:], mask: [])
    }

    @Test("A merge of fields changes those and drops the other data with its operations")
    func mergeFields() throws {
        let data: [String: Any] = [
            "a": 1, "b": 2, "m": ["x": 1, "y": 2, "n": FieldValue.increment(1)], "t": FieldValue.serverTimestamp(),
            "d": FieldValue.delete(),
        ]
        try self.expect(try self.reader.merge(data, fields: ["a"]), fields: ["a": 1], mask: ["a"])
        try self.expect(
            try self.reader.merge(data, fields: ["m.x", FieldPath(["m", "n"]), "d"]),
            fields: ["m": ["x": 1]],
            mask: ["d", "m.x"],
            transforms: ["m.n"]
        )
        try self.expect(
            try self.reader.merge(data, fields: ["m"]),
            fields: ["m": ["x": 1, "y": 2]],
            mask: ["m"],
            transforms: ["m.n"]
        )
        for missing in ["z", "m.z", "a.b"] {
            #expect(throws: UsageError.self) { try self.reader.merge(data, fields: [missing]) }
        }
        #expect(throws: UsageError.self) { try self.reader.merge(data, fields: [1]) }
    }

    @Test("An update changes fields by path and needs the document")
    func update() throws {
        let write = try self.reader.update([
            "a": 1, "m.x": 2, FieldPath(["m", "y.z"]): ["k": 3], "gone": FieldValue.delete(),
            "n": FieldValue.increment(1), "o": ["t": FieldValue.serverTimestamp()],
        ])
        try self.expect(
            write,
            fields: ["a": 1, "m": ["x": 2, "y.z": ["k": 3]], "o": [String: Any]()],
            mask: ["a", "gone", "m.x", "m.`y.z`", "o"],
            transforms: ["n", "o.t"]
        )
        #expect(write.precondition == .exists(true))
    }

    @Test("An update refuses nested deletes, bad paths and other keys")
    func updateRefused() {
        let refused: [[AnyHashable: Any]] = [
            ["a": ["b": FieldValue.delete()]], ["": 1], ["a..b": 1], ["a*": 1], [1: 1], ["__name__": 1],
            [FieldPath.documentID(): 1], ["a": Set([1])],
        ]
        for fields in refused {
            #expect(throws: UsageError.self, "\(fields)") { try self.reader.update(fields) }
        }
    }

    @Test("Operations keep their operands")
    func operands() throws {
        let write = try self.reader.set([
            "a": FieldValue.arrayUnion([1, "x"]), "b": FieldValue.arrayRemove([2]), "c": FieldValue.increment(1.5),
            "d": FieldValue.minimum(3), "e": FieldValue.maximum(Int64(4)), "f": FieldValue.serverTimestamp(),
        ])
        let described = write.transforms.map { "\($0.path) \($0.operation)" }
        #expect(described.count == 6)
        guard case .appendMissingElements(let union) = write.transforms[0].operation,
            case .removeAllFromArray(let removed) = write.transforms[1].operation,
            case .increment(let increment) = write.transforms[2].operation,
            case .minimum(let minimum) = write.transforms[3].operation,
            case .maximum(let maximum) = write.transforms[4].operation,
            case .requestTime = write.transforms[5].operation
        else {
            Issue.record("\(described)")
            return
        }
        #expect(union == [.integer(1), .string("x")])
        #expect(removed == [.integer(2)])
        #expect(increment.encoded() == Value.double(1.5).encoded())
        #expect(minimum.encoded() == Value.integer(3).encoded())
        #expect(maximum.encoded() == Value.integer(4).encoded())
    }
}
