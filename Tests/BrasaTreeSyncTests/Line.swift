import BrasaTree
import Testing

@testable import BrasaTreeSync

/// An engine with what it has said so far.
struct Line {
    var engine = TreeSyncEngine()
    private(set) var shown: [String] = []
    private(set) var listens: [ListenChange] = []
    private(set) var sent: [ServerWrite] = []
    private(set) var ended: [TreeTransactionID: TransactionEnd.Outcome] = [:]

    init(listeningTo text: String? = nil) throws {
        guard let text else { return }
        self.take(self.engine.listen(.all, at: try path(text)).effects)
    }

    private mutating func take(_ effects: EngineEffects) {
        self.shown += effects.events.map(\.description)
        self.listens += effects.listens
        self.sent += effects.writes
        for end in effects.ended { self.ended[end.id] = end.outcome }
    }

    mutating func listen(to path: TreePath) { self.take(self.engine.listen(.all, at: path).effects) }

    mutating func push(_ text: String, _ value: String) {
        guard let push = try? set(text, value).push else { return }
        self.take(self.engine.receive(push, milliseconds: 1_000))
    }

    mutating func write(_ write: TreeWrite) {
        self.take(self.engine.write(write, milliseconds: 1_000).effects)
    }

    mutating func answer(_ put: Int, _ status: String) {
        self.take(self.engine.answerTransaction(put: put, status: status, milliseconds: 1_000))
    }

    mutating func disconnect() {
        self.take(self.engine.disconnect(milliseconds: 1_000))
    }

    @discardableResult
    mutating func transact(
        at text: String,
        isShown: Bool = true,
        _ update: @escaping TransactionUpdate
    ) throws -> TreeTransactionID {
        let (id, effects) = self.engine.transact(at: try path(text), isShown: isShown, milliseconds: 1_000, update)
        self.take(effects)
        return id
    }

    @discardableResult
    mutating func addOne(to text: String, isShown: Bool = true) throws -> TreeTransactionID {
        try self.transact(at: text, isShown: isShown) { present in
            TreeTemplate(.leaf(.integer((present.scalar?.number.map { Int64($0) } ?? 0) + 1)))
        }
    }

    /// The next put of transactions that was sent.
    mutating func sentTransaction() throws -> (put: Int, text: String, hash: String) {
        let first = try #require(self.sent.first)
        self.sent.removeFirst()
        guard case .transaction(let put, let write, let hash) = first else { throw NotATransaction() }
        let assignment = try #require(write.assignments.first)
        let value = String(decoding: assignment.template.json.text, as: UTF8.self)
        return (put, "\(assignment.location)=\(value)", hash)
    }

    private struct NotATransaction: Error {}
}

func template(_ text: String) throws -> TreeTemplate { try TreeTemplate(parsing: Array(text.utf8)) }

extension TransactionEnd.Outcome {
    var text: String {
        switch self {
        case .committed(let node): "committed \(exported(node))"
        case .aborted(let node): "aborted \(exported(node))"
        case .failed(let status): "failed \(status)"
        case .invalid(let error): "invalid \(error)"
        }
    }
}
