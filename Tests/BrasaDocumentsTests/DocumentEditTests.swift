import BrasaDocuments
import BrasaQueryModel
import Testing

struct DocumentEditTests {
    static let name = document("c/d")
    static let now = Timestamp(microseconds: 9_000)
    static let base = Document(
        fields: fields(["a": map(["b": 1, "c": 2]), "n": 5, "s": "x"]),
        createTime: Timestamp(microseconds: 100),
        updateTime: Timestamp(microseconds: 200)
    )

    private func write(
        _ operation: Write.Operation,
        _ transforms: [FieldTransform] = [],
        if precondition: Precondition? = nil
    ) -> Write {
        Write(name: Self.name, operation: operation, transforms: transforms, precondition: precondition)
    }

    private func merge(_ new: EncodedFields, _ mask: [String]) -> Write {
        self.write(.merge(new, mask: mask.map(field)))
    }

    private func edit(_ base: Document?, _ writes: Write...) throws(DocumentError) -> DocumentEdit.Outcome {
        var edit = DocumentEdit(name: Self.name, base: base)
        for write in writes { _ = try edit.apply(write, requestTime: Self.now) }
        return try edit.finish()
    }

    @Test func `A set replaces all fields and keeps the create time`() throws {
        #expect(
            try self.edit(Self.base, self.write(.set(fields(["x": 1]))))
                == .changed(fields(["x": 1]), createTime: Self.base.createTime)
        )
        #expect(try self.edit(nil, self.write(.set(.empty))) == .changed(.empty, createTime: nil))
    }

    @Test(arguments: [
        (["n"], fields(["n": 6]), fields(["a": map(["b": 1, "c": 2]), "n": 6, "s": "x"])),
        (["n"], fields([:]), fields(["a": map(["b": 1, "c": 2]), "s": "x"])),
        (["a.b"], fields(["a": map(["b": 7, "c": 9])]), fields(["a": map(["b": 7, "c": 2]), "n": 5, "s": "x"])),
        (["a.b", "a.c"], fields([:]), fields(["a": map([:]), "n": 5, "s": "x"])),
        (
            ["s.t.u"], fields(["s": map(["t": map(["u": 1])])]),
            fields(["a": map(["b": 1, "c": 2]), "n": 5, "s": map(["t": map(["u": 1])])])
        ),
        (["s.t"], fields([:]), fields(["a": map(["b": 1, "c": 2]), "n": 5, "s": "x"])),
        (["q.r"], fields([:]), fields(["a": map(["b": 1, "c": 2]), "n": 5, "s": "x"])),
        (["a"], fields(["a": map([:])]), fields(["a": map([:]), "n": 5, "s": "x"])),
        (["n", "n"], fields(["n": 6, "ignored": 1]), fields(["a": map(["b": 1, "c": 2]), "n": 6, "s": "x"])),
    ])
    func `A mask sets what the update has and deletes what it lacks`(
        mask: [String],
        new: EncodedFields,
        expected: EncodedFields
    ) throws {
        let outcome = try self.edit(Self.base, self.merge(new, mask))
        #expect(
            outcome
                == (expected == Self.base.fields ? .unchanged : .changed(expected, createTime: Self.base.createTime))
        )
    }

    @Test func `A mask creates a missing document, an empty one too`() throws {
        #expect(try self.edit(nil, self.merge(.empty, [])) == .changed(.empty, createTime: nil))
        #expect(
            try self.edit(nil, self.merge(fields(["a": 1, "b": 2]), ["b"]))
                == .changed(fields(["b": 2]), createTime: nil)
        )
        #expect(try self.edit(Self.base, self.merge(.empty, [])) == .unchanged)
    }

    @Test(arguments: [["a", "a.b"], ["a.b.c", "x", "a.b"], ["`a`.`b`", "a"]])
    func `Overlapping mask paths are refused`(mask: [String]) {
        let error = refusal { () throws(DocumentError) in try self.edit(Self.base, self.merge(.empty, mask)) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `A mask agrees with the same change of a tree of values`() throws {
        for seed in 0..<400 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let base = EncodedFields(
                encoding: generator.entries() + [.init(key: "a", value: map(["b": generator.value()]))]
            )
            let new = EncodedFields(
                encoding: generator.entries() + [.init(key: "a", value: map(["c": generator.value()]))]
            )
            let mask = generator.random.pick([
                ["a.b"], ["a.c", "b"], ["a", "b.c"], ["b", "a.b", "a.c"], ["a.c.d", "`😀`"],
            ])
            var model = Value.map(base.decoded)
            for path in mask.map(field) { model = Self.model(model, path.segments[...], new.value(at: path)) }
            let stored = Document(fields: base, createTime: Self.now, updateTime: Self.now)
            var edit = DocumentEdit(name: Self.name, base: stored)
            // Nesting too deep is refused; everything else is as the model says.
            _ = try? edit.apply(self.merge(new, mask), requestTime: Self.now)
            guard let outcome = try? edit.finish() else { continue }
            guard case .map(let entries) = model else { return }
            #expect(outcome.fields(of: stored) == EncodedFields(encoding: entries), "seed \(seed)")
        }
    }

    private static func model(_ value: Value?, _ names: ArraySlice<UTF8Text>, _ new: Value?) -> Value {
        var entries: [Value.MapEntry] = []
        if case .map(let old)? = value, value?.vectorComponents == nil { entries = old }
        guard let name = names.first else { return .map(entries) }
        let old = entries.first { $0.key == name }?.value
        if names.count > 1, new == nil {
            guard case .map? = old, old?.vectorComponents == nil else { return value ?? .map([]) }
        }
        entries.removeAll { $0.key == name }
        let inner: Value? = names.count == 1 ? new : Self.model(old, names.dropFirst(), new)
        if let inner { entries.append(.init(key: name, value: inner)) }
        return .map(sorting: entries)
    }

    @Test func `Writes that change nothing make no version`() throws {
        #expect(try self.edit(Self.base, self.write(.set(Self.base.fields))) == .unchanged)
        #expect(
            try self.edit(Self.base, self.merge(fields(["n": 6]), ["n"]), self.merge(fields(["n": 5]), ["n"]))
                == .unchanged
        )
        #expect(try self.edit(Self.base, self.write(.verify, if: .exists(true))) == .unchanged)
        #expect(try self.edit(nil, self.write(.delete)) == .unchanged)
        #expect(try self.edit(nil, self.write(.set(.empty)), self.write(.delete)) == .unchanged)
        let noChange = FieldTransform(path: field("n"), operation: .increment(0))
        #expect(try self.edit(Self.base, self.write(.merge(.empty, mask: []), [noChange])) == .unchanged)
        #expect(try self.edit(Self.base, self.merge(fields(["n": 5.0]), ["n"])) != .unchanged)
    }

    @Test func `Deleting and creating again resets the create time`() throws {
        #expect(try self.edit(Self.base, self.write(.delete)) == .deleted)
        #expect(
            try self.edit(Self.base, self.write(.delete), self.write(.set(Self.base.fields)))
                == .changed(Self.base.fields, createTime: nil)
        )
    }

    @Test func `A failed precondition has its code and text`() {
        let full = Self.name.string
        func failure(_ base: Document?, _ writes: Write...) -> DocumentError? {
            refusal { () throws(DocumentError) in
                var edit = DocumentEdit(name: Self.name, base: base)
                for write in writes { _ = try edit.apply(write, requestTime: Self.now) }
            }
        }
        for operation in [.set(.empty), .merge(.empty, mask: []), .delete, .verify] as [Write.Operation] {
            let missing = failure(nil, self.write(operation, if: .exists(true)))
            #expect(missing?.code == .notFound)
            #expect(missing?.message == "No document to update: \(full)")
            let exists = failure(Self.base, self.write(operation, if: .exists(false)))
            #expect(exists?.code == .alreadyExists)
            #expect(exists?.message == "Document already exists: \(full)")
            let stale = failure(Self.base, self.write(operation, if: .updateTime(Timestamp(microseconds: 7))))
            #expect(stale?.code == .failedPrecondition)
            #expect(stale?.message == "the stored version (200) does not match the required base version (7)")
            let gone = failure(nil, self.write(operation, if: .updateTime(Timestamp(microseconds: 7))))
            #expect(gone?.message == "the stored version (0) does not match the required base version (7)")
            for ahead in [Timestamp(microseconds: 201), .latest] {
                let future = failure(Self.base, self.write(operation, if: .updateTime(ahead)))
                #expect(future?.code == .invalidArgument)
                #expect(future?.message == "Invalid base version, it is greater than the stored version: \(full)")
                #expect(failure(nil, self.write(operation, if: .updateTime(ahead)))?.code == .failedPrecondition)
            }
            #expect(failure(Self.base, self.write(operation, if: .updateTime(Self.base.updateTime))) == nil)
            #expect(failure(Self.base, self.write(operation, if: .exists(true))) == nil)
        }
    }

    @Test func `Preconditions see the earlier writes of the commit`() throws {
        let set = self.write(.set(fields(["x": 1])))
        #expect(
            try self.edit(nil, set, self.write(.set(.empty), if: .exists(true))) == .changed(.empty, createTime: nil)
        )
        let created = refusal { () throws(DocumentError) in
            try self.edit(nil, set, self.write(.set(.empty), if: .exists(false)))
        }
        #expect(created?.code == .alreadyExists)
        // A required version is that of the stored document.
        let version = Precondition.updateTime(Self.base.updateTime)
        let again = self.write(.set(fields(["x": 2])), if: version)
        #expect(
            try self.edit(Self.base, self.write(set.operation, if: version), again)
                == .changed(fields(["x": 2]), createTime: Self.base.createTime)
        )
    }

    @Test func `A precondition's time is whole microseconds`() throws {
        guard case .updateTime(let time) = try Precondition.updateTime(seconds: 1, nanos: 2_000) else { return }
        #expect(time == Timestamp(microseconds: 1_000_002))
        #expect(
            refusal { () throws(DocumentError) in try Precondition.updateTime(seconds: 1, nanos: 1) }?.code
                == .invalidArgument
        )
    }

    @Test func `A change that makes the document illegal is refused`() {
        let now = FieldTransform.Operation.requestTime
        func failure(_ base: EncodedFields, _ transforms: [FieldTransform]) -> DocumentError.Reason? {
            let base = Document(fields: base, createTime: Self.now, updateTime: Self.now)
            return refusal { () throws(DocumentError) in
                try self.edit(base, self.write(.merge(.empty, mask: []), transforms))
            }?.reason
        }
        let vector = fields(["v": .vector([1])])
        let inside = FieldTransform.Operation.appendMissingElements([.vector([1])])
        #expect(failure(vector, [.init(path: field("v"), operation: inside)]) == .vectorInArray)
        for levels in [21, 22, 700] {
            let path = field(Array(repeating: "x", count: levels).joined(separator: "."))
            #expect((failure(.empty, [.init(path: path, operation: now)]) == nil) == (levels <= 21))
            #expect(
                (failure(.empty, [.init(path: path, operation: .appendMissingElements([]))]) == nil) == (levels <= 20)
            )
        }
        let long = Value.string(UTF8Text(String(repeating: "x", count: 600_000)))
        let other = Value.string(UTF8Text(String(repeating: "y", count: 600_000)))
        guard
            case .documentTooLarge? = failure(
                .empty,
                [.init(path: field("a"), operation: .appendMissingElements([long, other]))]
            )
        else {
            Issue.record("accepted a document that is too large")
            return
        }
    }
}

extension DocumentEdit.Outcome {
    /// What the document then has.
    func fields(of base: Document?) -> EncodedFields? {
        switch self {
        case .unchanged: base?.fields
        case .changed(let fields, _): fields
        case .deleted: nil
        }
    }
}
