import BrasaDocuments
import Testing

struct WriteSequenceTests {
    private static let version = Precondition.updateTime(Timestamp(microseconds: 200))
    private static let other = Precondition.updateTime(Timestamp(microseconds: 300))

    private func write(_ operation: Write.Operation, if precondition: Precondition? = nil, at path: String = "c/d")
        -> Write
    {
        Write(name: document(path), operation: operation, precondition: precondition)
    }

    private func refused(_ writes: Write...) -> DocumentError.Reason? {
        refusal { () throws(DocumentError) in try Write.validate(commit: writes) }?.reason
    }

    private var set: Write { self.write(.set(.empty)) }
    private var delete: Write { self.write(.delete) }

    @Test func `A write may follow one that leaves the document as it asks`() {
        #expect(self.refused(self.set, self.set, self.write(.merge(.empty, mask: []), if: .exists(true))) == nil)
        #expect(self.refused(self.set, self.delete, self.set) == nil)
        #expect(self.refused(self.set, self.write(.delete, if: .exists(true))) == nil)
        #expect(self.refused(self.delete, self.delete, self.write(.delete, if: .exists(false))) == nil)
        #expect(self.refused(self.delete, self.write(.set(.empty), if: .exists(false))) == nil)
        #expect(self.refused(self.write(.set(.empty), if: Self.version), self.write(.delete, if: Self.version)) == nil)
    }

    @Test func `A write may not ask for what the one before it undid`() {
        for required in [Precondition.exists(true), Self.version] {
            let update = self.write(.set(.empty), if: required)
            #expect(self.refused(self.delete, update) == .contradictingWrites(.delete, .update))
            #expect(self.refused(self.set, self.delete, update) == .contradictingWrites(.delete, .update))
        }
        #expect(
            self.refused(self.delete, self.write(.delete, if: .exists(true))) == .contradictingWrites(.delete, .delete)
        )
        let create = self.write(.set(.empty), if: .exists(false))
        #expect(self.refused(self.set, create) == .contradictingWrites(.upsert, .insert))
        #expect(self.refused(create, create) == .contradictingWrites(.insert, .insert))
        #expect(
            self.refused(self.write(.set(.empty), if: .exists(true)), self.write(.delete, if: .exists(false)))
                == .contradictingWrites(.update, .delete)
        )
    }

    @Test func `All writes to a document require one version`() {
        let first = self.write(.set(.empty), if: Self.version)
        #expect(self.refused(self.set, first) == .differingUpdateTimes)
        #expect(self.refused(first, self.write(.delete, if: Self.other)) == .differingUpdateTimes)
        #expect(self.refused(first, self.set, first) == nil)
        #expect(self.refused(first, self.write(.set(.empty), if: Self.other, at: "c/e")) == nil)
    }

    @Test func `A document is verified or written`() {
        let verify = self.write(.verify, if: .exists(true))
        #expect(self.refused(verify, self.set) == .verifiedAndWritten)
        #expect(self.refused(self.delete, verify) == .verifiedAndWritten)
        #expect(self.refused(verify, verify) == .verifiedAndWritten)
        #expect(self.refused(verify, self.write(.set(.empty), at: "c/e")) == nil)
        #expect(self.refused(self.write(.verify)) == .verifyWithoutPrecondition)
    }

    @Test func `A field is not transformed together with one inside it`() {
        func transforms(_ paths: String...) -> Write {
            Write(
                name: document("c/d"),
                operation: .set(.empty),
                transforms: paths.map { FieldTransform(path: field($0), operation: .increment(1)) }
            )
        }
        #expect(self.refused(transforms("a", "a", "b")) == nil)
        #expect(self.refused(transforms("a.b", "x", "a")) == .transformPathsOverlap(outer: "a"))
        #expect(self.refused(transforms("a.b.c", "a.b", "a.b")) == .transformPathsOverlap(outer: "a.b"))
        #expect(self.refused(transforms("a", "ab", "`a.b`")) == nil)
        #expect(self.refused(transforms("a"), transforms("a.b")) == nil)
    }
}
