import BrasaPlatform

/// The Listen streams of one event loop whose targets are judged. They are judged again when the rules have changed, and
/// every minute, since rules may ask for the time: one turn of one target in each turn of the mailbox.
///
/// Unchecked, because it is used on the loop only.
final class JudgedListeners: @unchecked Sendable {
    /// Calls of `tick`.
    private static let ticksMax = 60

    private let rules: LoopRules
    private var streams: [ObjectIdentifier: ListenStream] = [:]
    private var edition: Int
    private var ticks = 0
    /// Streams that are yet to be judged again.
    private var due: ArraySlice<ListenStream> = []
    /// Of the first of them, once it has begun.
    private var round: ListenJudge.Round?
    private(set) var isJudging = false

    init(_ rules: LoopRules) {
        self.rules = rules
        self.edition = rules.editionNumber
    }

    var count: Int { self.streams.count }

    func add(_ stream: ListenStream) { self.streams[ObjectIdentifier(stream)] = stream }
    func remove(_ stream: ListenStream) { self.streams[ObjectIdentifier(stream)] = nil }

    /// To be called once a second.
    func tick(on mailbox: any Mailbox) {
        self.ticks += 1
        let edition = self.rules.editionNumber
        // By the same rules those come first that are still due from before.
        guard edition != self.edition || self.ticks >= Self.ticksMax && !self.isJudging else { return }
        (self.edition, self.ticks) = (edition, 0)
        self.due = Array(self.streams.values)[...]
        self.round = nil
        guard !self.isJudging else { return }
        self.isJudging = true
        self.judge(on: mailbox)
    }

    private func judge(on mailbox: any Mailbox) {
        guard let stream = self.due.first else {
            self.due = []
            self.isJudging = false
            return
        }
        if var round = self.round.take() ?? stream.round(), stream.judgeAgain(&round) {
            self.round = round
        } else {
            self.due.removeFirst()
        }
        mailbox.postTurn { self.judge(on: mailbox) }
    }
}
