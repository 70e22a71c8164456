import BrasaDocuments
import BrasaStatus

@testable import BrasaSync

/// The server's side of Write streams that can be taken up again, for as many clients as are connected to it one after the
/// other. A token is how many answers there were.
final class FakeWriteServer {
    private struct Stream {
        var answers: [WriteMessage] = []
        var forgotten = 0
    }

    private var streams: [UTF8Text: Stream] = [:]
    private var streamCount = 0
    private let commit: ([Write]) -> WriteMessage?
    /// Of the connection; nil when it is one that cannot be taken up again.
    private(set) var stream: UTF8Text?
    /// Streams whose answers nobody is told any more, through no fault of the client.
    private(set) var lost: Set<UTF8Text> = []
    /// Whether streams can be taken up again, from the next connection on.
    var isResumable = true
    /// How many of what a client has sent are applied when its connection ends, unheard.
    var appliedAtEnd: (_ sent: Int) -> Int = { _ in 0 }
    private(set) var resumptions = 0
    /// A batch that failed is at the front of what is closed, and nothing behind it happens.
    private var unapplied = false

    /// So many answers are remembered of a stream.
    private static let answersMax = 100

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

    /// As after a restart, which no connection outlives.
    func forgetAll() {
        self.lost.formUnion(self.streams.keys)
        self.streams = [:]
        self.stream = nil
    }

    private func apply(_ writes: [Write]) -> WriteMessage? {
        guard var answer = self.commit(writes) else { return nil }
        guard let id = self.stream, var stream = self.streams[id] else { return answer }
        answer.streamToken = Array("\(stream.answers.count + 1)".utf8)
        stream.answers.append(answer)
        stream.forgotten = max(stream.forgotten, stream.answers.count - Self.answersMax)
        self.streams[id] = stream
        return answer
    }

    private func greet(_ position: WriteStreamPosition?) -> Result<[WriteMessage], SyncError> {
        guard let position else { return .success([self.begin()]) }
        guard self.isResumable else {
            self.lost.insert(position.streamID)
            return .failure(SyncError(.invalidArgument))
        }
        guard let stream = self.streams[position.streamID],
            let seen = Int(String(decoding: position.token, as: UTF8.self)),
            seen <= stream.answers.count, seen >= stream.forgotten
        else { return .failure(SyncError(.aborted)) }
        self.stream = position.streamID
        self.resumptions += 1
        return .success(Array(stream.answers[seen...]) + [self.handshake(position.streamID, stream.answers.count)])
    }

    private func begin() -> WriteMessage {
        self.stream = nil
        guard self.isResumable else { return self.handshake(nil, 0) }
        self.streamCount += 1
        let id = UTF8Text("stream \(self.streamCount)")
        self.stream = id
        self.streams[id] = Stream()
        return self.handshake(id, 0)
    }

    private func handshake(_ id: UTF8Text?, _ count: Int) -> WriteMessage {
        WriteMessage(streamID: id, streamToken: Array("\(count)".utf8), commitTime: nil, results: [])
    }

    private func closed(_ sent: [[Write]]) {
        defer { self.unapplied = false }
        guard !self.unapplied else { return }
        for writes in sent.prefix(self.appliedAtEnd(sent.count)) where self.apply(writes) == nil { return }
    }

    /// What came before that token is not asked for again.
    private func seen(_ token: [UInt8]) {
        guard let id = self.stream, let stream = self.streams[id],
            let seen = Int(String(decoding: token, as: UTF8.self))
        else { return }
        self.streams[id]?.forgotten = max(stream.forgotten, seen)
    }
}
