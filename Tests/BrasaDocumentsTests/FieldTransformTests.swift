import BrasaDocuments
import Testing

struct FieldTransformTests {
    static let now = Timestamp(microseconds: 9_000)

    /// The field after the transform, and the transform's result.
    private func apply(_ operation: FieldTransform.Operation, to old: Value?) throws(DocumentError) -> (Value?, Value) {
        let stored = old.map { Document(fields: fields(["f": $0]), createTime: Self.now, updateTime: Self.now) }
        var edit = DocumentEdit(name: document("c/d"), base: stored)
        let write = Write(
            name: document("c/d"),
            operation: .merge(.empty, mask: []),
            transforms: [FieldTransform(path: field("f"), operation: operation)]
        )
        let results = try edit.apply(write, requestTime: Self.now)
        #expect(results.count == 1)
        return (try edit.finish().fields(of: stored)?.value(at: field("f")), results[0])
    }

    /// Same type and bits.
    private func isIdentical(_ left: Value?, _ right: Value) -> Bool { left?.encoded() == right.encoded() }

    @Test(
        arguments: [
            (nil, 2, 2), (1, 2, 3), (1, 0.5, 1.5), (0.5, 1, 1.5), (1.5, 1.5, 3.0), ("x", 2, 2), (.null, 2.5, 2.5),
            (.integer(.max), 1, .integer(.max)), (.integer(.min), -1, .integer(.min)),
            (.double(.nan), 1, .double(.nan)),
            (.integer(.max), 1.0, .double(0x1p63)),
        ] as [(Value?, Value, Value)]
    )
    func `An increment adds`(old: Value?, operand: Value, expected: Value) throws {
        let (new, result) = try self.apply(.increment(operand), to: old)
        #expect(self.isIdentical(new, expected) && self.isIdentical(result, expected), "\(String(describing: new))")
    }

    @Test(
        arguments: [
            (nil, 2, 2, 2), ("x", 2, 2, 2), (1, 2, 2, 1), (2, 1, 2, 1), (1, 1.5, 1.5, 1), (3, 3.0, 3, 3),
            (3.0, 3, 3.0, 3.0),
            (-0.0, 0, -0.0, -0.0), (.double(.nan), 1, .double(.nan), .double(.nan)),
            (1, .double(.nan), .double(.nan), .double(.nan)),
            (9_007_199_254_740_993, 9_007_199_254_740_992.0, 9_007_199_254_740_993, 9_007_199_254_740_992.0),
        ] as [(Value?, Value, Value, Value)]
    )
    func `Maximum and minimum choose one of the two as it is`(old: Value?, operand: Value, greater: Value, less: Value)
        throws
    {
        let maximum = try self.apply(.maximum(operand), to: old)
        #expect(self.isIdentical(maximum.0, greater) && self.isIdentical(maximum.1, greater))
        let minimum = try self.apply(.minimum(operand), to: old)
        #expect(self.isIdentical(minimum.0, less) && self.isIdentical(minimum.1, less))
    }

    @Test(
        arguments: [
            (nil, [1, 1, 2], [1, 2], []), ("x", [1], [1], []), (.array([1, 2]), [2.0, 3], [1, 2, 3], [1]),
            (.array([.null, .double(.nan)]), [.null, .double(.nan)], [.null, .double(.nan)], []),
            (.array([1, 1, 2]), [], [1, 1, 2], [1, 1, 2]), (.array([1, 1, 2]), [1], [1, 1, 2], [2]),
            (.array([map(["a": 1])]), [map(["a": 1.0]), map(["a": 2])], [map(["a": 1]), map(["a": 2])], []),
        ] as [(Value?, [Value], [Value], [Value])]
    )
    func `Array transforms compare by value and answer null`(
        old: Value?,
        operand: [Value],
        appended: [Value],
        removed: [Value]
    ) throws {
        let append = try self.apply(.appendMissingElements(operand), to: old)
        #expect(self.isIdentical(append.0, .array(appended)) && self.isIdentical(append.1, .null))
        let remove = try self.apply(.removeAllFromArray(operand), to: old)
        #expect(self.isIdentical(remove.0, .array(removed)) && self.isIdentical(remove.1, .null))
    }

    @Test func `Transforms follow the update and each other`() throws {
        var edit = DocumentEdit(name: document("c/d"), base: nil)
        let write = Write(
            name: document("c/d"),
            operation: .set(fields(["n": 1])),
            transforms: [
                FieldTransform(path: field("n"), operation: .increment(2)),
                FieldTransform(path: field("n"), operation: .maximum(10)),
                FieldTransform(path: field("a.t"), operation: .requestTime),
            ]
        )
        #expect(try edit.apply(write, requestTime: Self.now) == [3, 10, .timestamp(Self.now)])
        #expect(
            try edit.finish() == .changed(fields(["n": 10, "a": map(["t": .timestamp(Self.now)])]), createTime: nil)
        )
    }

    @Test func `A document takes 500 transforms in one commit`() throws {
        func write(_ count: Int) -> Write {
            Write(
                name: document("c/d"),
                operation: .merge(.empty, mask: []),
                transforms: (0..<count).map { _ in FieldTransform(path: field("n"), operation: .increment(1)) }
            )
        }
        var edit = DocumentEdit(name: document("c/d"), base: nil)
        _ = try edit.apply(write(300), requestTime: Self.now)
        _ = try edit.apply(write(200), requestTime: Self.now)
        #expect(try edit.finish().fields(of: nil) == fields(["n": 500]))
        let error = refusal { () throws(DocumentError) in try edit.apply(write(1), requestTime: Self.now) }
        #expect(error?.message == "cannot have more than 500 field transforms on a single document")
    }

    @Test(
        arguments: [
            (.increment("x"), "Input must be int64 or double."), (.maximum(.null), "Input must be int64 or double."),
            (.minimum(.array([])), "Input must be int64 or double."),
            (.appendMissingElements([.array([])]), "Nested arrays are not allowed"),
            (.removeAllFromArray([.array([])]), "Nested arrays are not allowed"),
        ] as [(FieldTransform.Operation, String)]
    )
    func `An operand of the wrong type is refused`(operation: FieldTransform.Operation, message: String) {
        #expect(refusal { () throws(DocumentError) in try self.apply(operation, to: nil) }?.message == message)
    }

    @Test func `A delete or verify has no transforms`() {
        let transform = FieldTransform(path: field("n"), operation: .requestTime)
        for (operation, word) in [(Write.Operation.delete, "delete"), (.verify, "verify")] {
            let write = Write(name: document("c/d"), operation: operation, transforms: [transform])
            let error = refusal { () throws(DocumentError) in try write.validate() }
            #expect(error?.message == "a \(word) must not specify a update transform.")
        }
        let reserved = FieldTransform(path: .documentName, operation: .requestTime)
        #expect(
            refusal { () throws(DocumentError) in try reserved.validate() }?.reason == .fieldPathReserved("__name__")
        )
    }

    @Test func `Array transforms of one field, with others between them, give what one after the other gives`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let base: EncodedFields = fields(["a": .array([1, 2, 1, 3]), "m": map(["b": .array(["x"])]), "n": 1])
            let paths = ["a", "m.b", "m", "n"].map(field)
            let transforms = (0..<12).map { _ in
                let operands = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    Value.integer(Int64.random(in: 0..<4, using: &generator))
                }
                let operation: FieldTransform.Operation =
                    switch Int.random(in: 0..<5, using: &generator) {
                    case 0: .increment(operands[0])
                    case 1, 2: .removeAllFromArray(operands)
                    default: .appendMissingElements(operands)
                    }
                let path = paths[Int.random(in: 0..<paths.count, using: &generator)]
                return FieldTransform(path: path, operation: operation)
            }
            let writes = transforms.map {
                Write(name: document("c/d"), operation: .merge(.empty, mask: []), transforms: [$0])
            }
            let stored = Document(fields: base, createTime: Self.now, updateTime: Self.now)
            var together = DocumentEdit(name: document("c/d"), base: stored)
            let results = try writes.map { try together.apply($0, requestTime: Self.now)[0] }
            var step = stored
            let single = try writes.map { write in
                var edit = DocumentEdit(name: document("c/d"), base: step)
                let result = try edit.apply(write, requestTime: Self.now)[0]
                let fields = try #require(try edit.finish().fields(of: step))
                step = Document(fields: fields, createTime: Self.now, updateTime: Self.now)
                return result
            }
            #expect(results == single)
            #expect(try together.finish().fields(of: stored) == step.fields, "\(transforms)")
        }
    }

    @Test func `Many transforms of a long array and many merges of a large document cost no square`() throws {
        let long = Value.array((0..<60_000).map { .integer($0) })
        let base = Document(fields: fields(["a": long]), createTime: Self.now, updateTime: Self.now)
        var edit = DocumentEdit(name: document("c/d"), base: base)
        let transforms = (0..<400).map { index -> FieldTransform in
            let element = Value.integer(Int64(index / 2) + (index % 2 == 0 ? 100_000 : 0))
            let operation: FieldTransform.Operation =
                index % 2 == 0 ? .appendMissingElements([element]) : .removeAllFromArray([element])
            return FieldTransform(path: field("a"), operation: operation)
        }
        for transform in transforms.prefix(100) {
            let write = Write(name: document("c/d"), operation: .merge(.empty, mask: []), transforms: [transform])
            _ = try edit.apply(write, requestTime: Self.now)
        }
        let rest = Write(
            name: document("c/d"),
            operation: .merge(.empty, mask: []),
            transforms: Array(transforms.dropFirst(100))
        )
        _ = try edit.apply(rest, requestTime: Self.now)
        for index in (0..<5_000).reversed() {
            let name = "f\(index)"
            let write = Write(name: document("c/d"), operation: .merge(fields([name: 1]), mask: [field(name)]))
            _ = try edit.apply(write, requestTime: Self.now)
        }
        let result = try #require(try edit.finish().fields(of: base))
        guard case .array(let elements)? = result.value(at: field("a")) else {
            Issue.record("no array")
            return
        }
        #expect(elements.count == 60_000)
        #expect(result.value(at: field("f4999")) == 1)
    }
}
