import BrasaDocuments

@testable import BrasaSync

/// The server's side of Write streams that can be taken up again, for as many clients as are connected to it one after the
/// other. A token is how many answers there were.
final class FakeWriteServer {
    private var answers: [UTF8Text: [WriteMessage]] = [:]
    private var forgotten: [UTF8Text: Int] = [:]
    private var connected: UTF8Text?
    private let commit: ([Write]) -> WriteMessage?
    /// How many of what a client has sent are applied when its connection ends, unheard.
    var appliedAtEnd: (_ sent: Int) -> Int = { _ in 0 }
    private(set) var unheard = 0
    private(set) var resumptions = 0

    init(commit: @escaping ([Write]) -> WriteMessage?) {
        self.commit = commit
    }

    func connect(_ transport: FakeTransport) {
        transport.greet = { [unowned self] in self.greet($0) }
        transport.writesClosed = { [unowned self] in self.closed($0) }
        transport.tokenSeen = { [unowned self] in self.seen($0) }
    }

    /// Applies the oldest batch that was sent, and says so; or ends the stream, since it cannot be applied.
    func answer(_ transport: FakeTransport) {
        guard let writes = transport.writes?.pending.first else { return }
        if let answer = self.apply(writes) { return transport.answer(answer) }
        self.unapplied = true
        transport.breakWrites(SyncError(.notFound))
    }

    /// As after a restart.
    func forgetAll() {
        self.answers = [:]
        self.connected = nil
    }

    /// A batch that failed is at the front of what is closed, and nothing behind it happens.
    private var unapplied = false

    private func apply(_ writes: [Write]) -> WriteMessage? {
        guard let id = self.connected, var answer = self.commit(writes) else { return nil }
        let number = (self.answers[id]?.count ?? 0) + 1
        answer.streamToken = Array("\(number)".utf8)
        self.answers[id, default: []].append(answer)
        return answer
    }

    private func greet(_ position: WriteStreamPosition?) -> Result<[WriteMessage], SyncError> {
        guard let position else {
            let id = UTF8Text("stream \(self.answers.count) \(self.forgotten.count)")
            return self.begin(id)
        }
        guard let known = self.answers[position.streamID],
            let seen = Int(String(decoding: position.token, as: UTF8.self)),
            seen <= known.count, seen >= self.forgotten[position.streamID, default: 0]
        else { return .failure(SyncError(.aborted)) }
        self.connected = position.streamID
        self.resumptions += 1
        self.unheard = 0
        return .success(Array(known[seen...]) + [self.handshake(position.streamID, after: known.count)])
    }

    private func begin(_ id: UTF8Text) -> Result<[WriteMessage], SyncError> {
        self.connected = id
        self.answers[id] = []
        self.forgotten[id] = 0
        return .success([self.handshake(id, after: 0)])
    }

    private func handshake(_ id: UTF8Text, after count: Int) -> WriteMessage {
        WriteMessage(streamID: id, streamToken: Array("\(count)".utf8), commitTime: nil, results: [])
    }

    private func closed(_ sent: [[Write]]) {
        defer { self.unapplied = false }
        guard !self.unapplied else { return }
        for writes in sent.prefix(self.appliedAtEnd(sent.count)) {
            guard self.apply(writes) != nil else { return }
            self.unheard += 1
        }
    }

    /// What came before that token is not asked for again.
    private func seen(_ token: [UInt8]) {
        guard let id = self.connected, let seen = Int(String(decoding: token, as: UTF8.self)) else { return }
        self.forgotten[id] = max(self.forgotten[id, default: 0], seen)
    }
}
