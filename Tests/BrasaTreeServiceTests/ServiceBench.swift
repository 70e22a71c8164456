import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeJudging
import BrasaTreeRules
import Synchronization
import Testing

@testable import BrasaTreeService

/// The service over a simulated store, with answers as text.
struct ServiceBench {
    struct Answered: Equatable {
        let status: Int
        let body: String
        let etag: String?
    }

    let server: SimulatedServer
    let service: TreeService
    let rules: TreeRuleArchive
    let name: TreeNamespace

    init(bounds: TreeServiceBounds = TreeServiceBounds()) throws {
        self.server = try SimulatedServer(
            seed: 1,
            disk: SimulatedDisk(seed: 1),
            clock: SimulatedClock(),
            store: SimulatedServer.smallStore,
            transactions: TransactionConfiguration()
        )
        self.name = try #require(TreeNamespace("one"))
        self.rules = TreeRuleArchive(store: self.server.store, transactions: self.server.transactions)
        self.service = TreeService(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: self.server.scheduler.mailbox(),
            pushIDs: PushIDSource(clock: .system, entropy: Entropy { 1 }),
            bounds: bounds
        )
        self.server.settle()
    }

    /// What stands in `rules`.
    func judge(by rules: String) throws {
        let text = Array("{\"rules\":\(rules)}".utf8)
        self.rules.book.install(try TreeRules(parsing: text), for: self.name)
    }

    func ask(
        _ method: TreeCall.Method,
        _ path: String,
        _ parameters: [(String, String)] = [],
        _ body: String = "",
        by caller: Caller = .administrator,
        with change: (inout TreeCall) -> Void = { _ in }
    ) throws -> Answered {
        var call = TreeCall(method, self.name, try TreeLocation(path), by: caller)
        call.parameters = parameters.map { TreeQuery.Parameter($0.0, $0.1) }
        call.body = Array(body.utf8)
        change(&call)
        let box = AnswerBox()
        self.service.answer(call) { answer in box.add(answer) }
        self.server.settle()
        let answer = try #require(box.only)
        return Answered(status: answer.status, body: Self.text(answer), etag: answer.etag)
    }

    static func text(_ answer: TreeAnswer) -> String {
        guard var output = answer.output() else { return "" }
        var bytes: [UInt8] = []
        while let piece = output.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}

final class AnswerBox: Sendable {
    private let answers = Mutex<[TreeAnswer]>([])

    func add(_ answer: TreeAnswer) { self.answers.withLock { $0.append(answer) } }

    var only: TreeAnswer? { self.answers.withLock { $0.count == 1 ? $0[0] : nil } }
}
