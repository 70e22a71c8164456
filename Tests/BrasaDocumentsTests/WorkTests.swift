import BrasaQueryModel
import Testing

@testable import BrasaDocuments

/// What writes take before anybody knows what comes of them.
struct WorkTests {
    private static let now = Timestamp(microseconds: 9_000)

    private static func merge(_ mask: [String] = [], _ transforms: [FieldTransform] = []) -> Write {
        Write(name: document("c/d"), operation: .merge(.empty, mask: mask.map(field)), transforms: transforms)
    }

    private static func append(_ count: Int64, to path: String) -> FieldTransform {
        FieldTransform(path: field(path), operation: .appendMissingElements((0..<count).map { .integer($0) }))
    }

    private static func remove(_ elements: [Value], from path: String) -> FieldTransform {
        FieldTransform(path: field(path), operation: .removeAllFromArray(elements))
    }

    private struct Cost: Sendable {
        let write: Write
        let bytes: Int

        static let all: [Cost] = [
            Cost(write: Write(name: document("c/d"), operation: .set(fields(["a": 1]))), bytes: 0),
            Cost(write: Write(name: document("c/d"), operation: .delete), bytes: 0),
            Cost(write: WorkTests.merge(["a", "b"]), bytes: 2 * 64),
            Cost(write: WorkTests.merge(["a.b.c"]), bytes: 3 * 64),
            Cost(write: WorkTests.merge([], [FieldTransform(path: field("n"), operation: .increment(1))]), bytes: 64),
            Cost(
                write: WorkTests.merge([], [FieldTransform(path: field("a.t"), operation: .requestTime)]),
                bytes: 2 * 64
            ),
            Cost(write: WorkTests.merge([], [WorkTests.append(1_000, to: "a")]), bytes: 64 + 1_000 * 128),
            Cost(
                write: WorkTests.merge(["x"], [WorkTests.remove([1, 1, 2], from: "a"), WorkTests.append(1, to: "b")]),
                bytes: 3 * 64 + 4 * 128
            ),
        ]
    }

    @Test func `The paths and the elements that a write brings are counted without the document`() {
        for cost in Cost.all { #expect(cost.write.workBytes == cost.bytes, "\(cost.write)") }
    }

    @Test func `A map is taken apart once, however many fields in it are transformed and set`() throws {
        let inner = (0..<1_000).map { Value.MapEntry(key: UTF8Text("f\($0)"), value: .array([1])) }
        let base = fields(["a": .map(sorting: inner), "b": 1])
        var edit = DocumentEdit(
            name: document("c/d"),
            base: Document(fields: base, createTime: Self.now, updateTime: Self.now)
        )
        let transforms = (0..<400).map { Self.append(3, to: "a.f\($0)") }
        _ = try edit.apply(Self.merge([], transforms), requestTime: Self.now)
        let whole = base.bytes.count + 1_002 * 64 + 400 * 128
        #expect(edit.workBytes == whole)
        let mask = (400..<900).map { "a.f\($0)" }
        let number = FieldTransform(path: field("a.f900"), operation: .increment(1))
        _ = try edit.apply(Self.merge(mask, [number]), requestTime: Self.now)
        #expect(edit.workBytes == whole)
        let result = try #require(try edit.finish().fields(of: nil))
        #expect(result.value(at: field("a.f7")) == .array([1, 0, 2]))
        #expect(result.value(at: field("a.f407")) == nil)
        #expect(result.value(at: field("a.f900")) == 1)
        #expect(result.value(at: field("a.f999")) == .array([1]))
    }

    @Test func `The arrays under transforms that a path overlaps are found with few looks, however many there are`() {
        var generator = ValueGenerator(seed: 5)
        let names = ["a", "b", "c", "d"]
        func path() -> FieldPath {
            field((0...generator.random.below(4)).map { _ in generator.random.pick(names) }.joined(separator: "."))
        }
        func overlap(_ one: FieldPath, _ other: FieldPath) -> Bool { one.contains(other) || other.contains(one) }
        for _ in 0..<300 {
            var disjoint: [FieldPath] = []
            for _ in 0..<generator.random.below(60) {
                let new = path()
                if !disjoint.contains(where: { overlap($0, new) }) { disjoint.append(new) }
            }
            disjoint.sort()
            let asked = path()
            let looks = Looks()
            let range = CountedPaths(paths: disjoint, looks: looks).range(overlapping: asked)
            #expect(disjoint[range].elementsEqual(disjoint.filter { overlap($0, asked) }), "\(asked) in \(disjoint)")
            #expect(looks.count <= range.count + 8)
        }
        let many = (0..<500).map { field("f\($0)") }.sorted()
        let looks = Looks()
        #expect(CountedPaths(paths: many, looks: looks).range(overlapping: field("f77.x")).count == 1)
        #expect(looks.count <= 11)
    }

    @Test func `Arrays that later writes reach into are put back first, the others stay apart`() throws {
        var edit = DocumentEdit(name: document("c/d"), base: nil)
        let arrays = Self.merge([], ["a.b", "a.c", "d", "e.f.g"].map { Self.append(2, to: $0) })
        _ = try edit.apply(arrays, requestTime: Self.now)
        let merge = Write(
            name: document("c/d"),
            operation: .merge(fields(["a": 1, "d": map(["x": 2])]), mask: ["a", "d.x", "e.f.g"].map(field)),
            transforms: [Self.append(1, to: "e.f.g"), Self.append(3, to: "a.b")]
        )
        _ = try edit.apply(merge, requestTime: Self.now)
        let expected = fields([
            "a": map(["b": .array([0, 1, 2])]), "d": map(["x": 2]), "e": map(["f": map(["g": .array([0])])]),
        ])
        #expect(try edit.finish() == .changed(expected, createTime: nil))
    }
}

private final class Looks {
    var count = 0
}

private struct CountedPaths: RandomAccessCollection {
    let paths: [FieldPath]
    let looks: Looks

    var startIndex: Int { 0 }
    var endIndex: Int { self.paths.count }

    subscript(index: Int) -> FieldPath {
        self.looks.count += 1
        return self.paths[index]
    }
}
