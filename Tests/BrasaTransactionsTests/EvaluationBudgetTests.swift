import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaTransactions

@Suite("What the writes of a commit bring is counted before they are applied")
struct EvaluationBudgetTests {
    /// Writes to one document.
    enum Load: CaseIterable {
        case union, removal, mask, transforms

        /// What takes `count` times 128 bytes, and a little more.
        func writes(_ count: Int, to name: DocumentName) throws -> [Write] {
            let elements = (0..<Int64(count)).map { Value.integer($0) }
            let merge = Write(name: name, operation: .merge(.empty, mask: []))
            switch self {
            case .union: return [try merge.transforming([("a", .appendMissingElements(elements))])]
            case .removal: return [try merge.transforming([("a", .removeAllFromArray(elements))])]
            case .mask:
                let mask = try (0..<count).map { try FieldPath(parsing: Array("a.f\($0)".utf8)) }
                return [Write(name: name, operation: .merge(.empty, mask: mask))]
            case .transforms:
                return [try merge.transforming((0..<count).map { ("m.f\($0)", .increment(.integer(1))) })]
            }
        }
    }

    @Test("whether what a commit brings fits a document is found out before, and said after the precondition")
    func measuring() throws {
        let bench = try Bench()
        func order(_ bytes: Int, _ precondition: Precondition? = nil) -> CommitOrder {
            let text = UTF8Text(String(repeating: "x", count: bytes))
            let fields = EncodedFields(encoding: [Value.MapEntry(key: "s", value: .string(text))])
            let write = Write(name: bench.name("c/a"), operation: .set(fields), precondition: precondition)
            let reply = Answer<CommitResult>().reply(on: bench.mailbox)
            return CommitOrder([write], in: bench.database, refusal: nil, reply: reply)
        }
        let (store, budget) = (bench.server.store, EvaluationBudget(workBytes: 1 << 24, changeBytes: 1 << 24))
        let (fitting, large) = (order(1 << 19), order(1 << 20))
        #expect(fitting.isMeasured && !large.isMeasured)
        _ = try fitting.evaluation(of: store, at: store.passingTime(), within: budget)
        #expect(throws: TransactionError.self) {
            try large.evaluation(of: store, at: store.passingTime(), within: budget)
        }
        let error = #expect(throws: TransactionError.self) {
            try order(1 << 20, .exists(true)).evaluation(of: store, at: store.passingTime(), within: budget)
        }
        #expect(error?.code == .notFound)
        // What was measured is not looked through again while others wait.
        var left = budget
        _ = try CommitEvaluation(
            large.writes,
            in: bench.database,
            of: store,
            at: store.passingTime(),
            isMeasured: true,
            within: &left
        )
    }

    private func bench(bytesMax: Int) throws -> Bench {
        var configuration = TransactionConfiguration()
        configuration.evaluatedBytesMax = bytesMax
        return try Bench(configuration: configuration)
    }

    @Test("a commit that brings too much is refused at once, though its document is locked", arguments: Load.allCases)
    func commits(load: Load) throws {
        let bench = try self.bench(bytesMax: 40_000)
        let holder = try bench.holding("c/held")
        let id = try bench.begin()
        let large = try load.writes(320, to: bench.name("c/held"))
        for transaction in [nil, id] {
            let answer = Answer<CommitResult>()
            bench.transactions.commit(
                database: bench.database,
                transaction: transaction,
                writes: large,
                reply: answer.reply(on: bench.mailbox)
            )
            #expect(answer.error == .commitTooLarge)
        }
        #expect(bench.commit(id, bench.set("c/x", 1)).error == .expiredAfterFailure)
        #expect(bench.rollback(holder) == nil)
        let answer = Answer<CommitResult>()
        bench.transactions.commit(
            database: bench.database,
            transaction: nil,
            writes: try load.writes(300, to: bench.name("c/held")),
            reply: answer.reply(on: bench.mailbox)
        )
        bench.settle()
        #expect(answer.isSuccess)
    }

    @Test("a write of a batch that brings too much is refused, the others stand for themselves")
    func batches() throws {
        let bench = try self.bench(bytesMax: 40_000)
        _ = try bench.holding("c/held")
        let answer = Answer<[Result<WriteResult, TransactionError>]>()
        let overlapping = try [FieldPath(parsing: Array("a".utf8)), FieldPath(parsing: Array("a.b".utf8))]
        bench.transactions.batchWrite(
            database: bench.database,
            writes: [
                .success(bench.set("c/a", 1)),
                .success(try Load.union.writes(320, to: bench.name("c/held"))[0]),
                .success(Write(name: bench.name("c/b"), operation: .merge(.empty, mask: overlapping))),
            ],
            reply: answer.reply(on: bench.mailbox)
        )
        bench.settle()
        let errors = try answer.value.map { result -> TransactionError? in
            if case .failure(let error) = result { error } else { nil }
        }
        #expect(errors[0] == nil && errors[1] == .commitTooLarge)
        guard case .document(let error)? = errors[2] else { return #expect(Bool(false), "overlapping paths") }
        #expect(error.code == .invalidArgument)
    }

    @Test("nothing of a write is applied that alone is too much", arguments: Load.allCases)
    func evaluation(load: Load) throws {
        let bench = try Bench()
        let writes = try load.writes(320, to: bench.name("c/a"))
        var budget = EvaluationBudget(workBytes: 40_000, changeBytes: .max)
        #expect(throws: TransactionError.commitTooLarge) {
            _ = try CommitEvaluation(
                writes,
                in: bench.database,
                of: bench.server.store,
                at: bench.server.store.passingTime(),
                within: &budget
            )
        }
    }

    /// As large as the protocol's limits of a document allow: all elements differ, or all fields.
    @Test("what the limits of documents allow fits the default bound")
    func legal() throws {
        let bench = try Bench()
        let store = bench.server.store
        func workBytes(of writes: [Write]) throws -> Int {
            let budget = TransactionConfiguration().evaluationBudget(of: store)
            var left = budget
            _ = try CommitEvaluation(writes, in: bench.database, of: store, at: store.passingTime(), within: &left)
            return budget.workBytes - left.workBytes
        }
        let merge = Write(name: bench.name("c/a"), operation: .merge(.empty, mask: []))
        let union = try merge.transforming([("a", .appendMissingElements((0..<130_000).map { .integer($0) }))])
        #expect(try workBytes(of: [union]) <= 20 << 20)

        let names = (0..<40_000).map { String($0, radix: 36) }
        let entries = names.map { Value.MapEntry(key: UTF8Text("f" + $0), value: .boolean(true)) }
        let flat = Write(
            name: bench.name("c/b"),
            operation: .merge(
                EncodedFields(encoding: entries),
                mask: try names.map { try FieldPath(parsing: Array("f\($0)".utf8)) }
            )
        )
        let nested = Write(
            name: bench.name("c/d"),
            operation: .merge(
                EncodedFields(encoding: [Value.MapEntry(key: "a", value: .map(sorting: entries))]),
                mask: try names.map { try FieldPath(parsing: Array("a.f\($0)".utf8)) }
            )
        )
        #expect(try workBytes(of: [flat, nested]) <= 10 << 20)
    }
}

extension Write {
    fileprivate func transforming(_ transforms: [(String, FieldTransform.Operation)]) throws -> Write {
        var write = self
        write.transforms = try transforms.map {
            FieldTransform(path: try FieldPath(parsing: Array($0.0.utf8)), operation: $0.1)
        }
        return write
    }
}
