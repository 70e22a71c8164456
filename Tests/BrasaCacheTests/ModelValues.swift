import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import BrasaSync

@testable import BrasaSyncSpecification

/// What the model tests put into storages.
struct ModelValues {
    let collections: [ResourcePath]
    let paths: [ResourcePath]
    let users = [SyncUser.signedOut, SyncUser(uid: ""), SyncUser(uid: "ada")]
    let queries: [SyncQuery]
    var targets: [SyncTarget] { self.queries.map(\.target) + [.bundle("b")] }

    init() throws {
        self.collections = try ["c", "d", "c/a/c", "c/a/c/a/c"].map(path)
        let ids = ["a", "b", "ä", "a\u{0}b", "__id7__", "__id-9223372036854775808__", "zz"]
        self.paths = try self.collections.flatMap { collection in
            try ids.map { try collection.appending(Array($0.utf8)) }
        }
        let order = [StructuredQuery.Order(field: try field("n"), direction: .descending)]
        self.queries = [
            SyncQuery(document: try path("c/a")), try collection("c"), try collection("d", orderBy: order, limit: 3),
            try collection("d", orderBy: order, limit: 3, limitType: .last),
            try collection("c", filter: .field(try field("n"), .equal, .double(.nan))),
        ]
    }

    private func fields(_ dice: inout SeededRandom) -> EncodedFields {
        let pending = PendingTimestamp(localWriteTime: Timestamp(microseconds: 5), replacing: nil).value
        let values: [Value] = [
            .integer(Int64(dice.below(10))), .string("x"), .array([.null, .double(-0.0)]), .map([]), pending,
            .bytes([0]),
        ]
        return BrasaSyncSpecification.fields(["n": dice.pick(values), "`odd name`": dice.pick(values)])
    }

    private func sentFields(_ dice: inout SeededRandom) -> EncodedFields {
        BrasaSyncSpecification.fields([
            "n": .integer(Int64(dice.below(10))), "m": .array([.string("x"), .double(.nan)]),
        ])
    }

    func document(_ path: ResourcePath, _ dice: inout SeededRandom) -> SyncDocument {
        let kinds: [SyncDocument.Kind] = [.found(self.fields(&dice)), .missing, .unknown, .found(.empty)]
        return SyncDocument(
            path: path,
            kind: dice.pick(kinds),
            version: Timestamp(microseconds: Int64(dice.below(1000))),
            state: dice.below(3) == 0 ? .committedMutations : .synced,
            readTime: Timestamp(microseconds: Int64(1 + dice.below(1000)))
        )
    }

    func overlay(_ dice: inout SeededRandom) throws -> Overlay {
        switch dice.below(3) {
        case 0: .set(self.fields(&dice))
        case 1: .patch(self.fields(&dice), paths: [try field("n"), try field("a.`b c`.d")])
        default: .delete
        }
    }

    func batch(_ dice: inout SeededRandom) throws -> PendingBatch {
        let writes = try (0..<(1 + dice.below(3))).map { _ in try self.write(&dice) }
        return PendingBatch(
            localWriteTime: Timestamp(microseconds: Int64(dice.below(1000))),
            baseWrites: dice.below(3) == 0 ? [try self.write(&dice)] : [],
            writes: writes
        )
    }

    private func write(_ dice: inout SeededRandom) throws -> Write {
        let path = dice.pick(self.paths).string
        switch dice.below(4) {
        case 0: return try SpecModel.write(path, .delete)
        case 1:
            var write = try SpecModel.write(path, .set(self.sentFields(&dice)))
            write.precondition = .updateTime(Timestamp(microseconds: 77))
            return write
        case 2:
            let transforms: [FieldTransform.Operation] = [
                .requestTime, .increment(.double(.infinity)), .maximum(.integer(.min)),
                .appendMissingElements([.integer(1), .null]), .removeAllFromArray([]),
            ]
            var write = try SpecModel.write(
                path,
                .merge(self.sentFields(&dice), mask: [try field("n"), try field("gone.x")])
            )
            write.transforms = [FieldTransform(path: try field("t.u"), operation: dice.pick(transforms))]
            return write
        default: return try SpecModel.write(path, .verify, mustExist: true)
        }
    }
}
