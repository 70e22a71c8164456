package import BrasaLog
import Synchronization

/// A shared log in memory: a list of frames and an epoch. What is asked of it takes effect when `deliver` gets to it, in an
/// order that the seed draws; what a process had asked for when it ended takes its time, so that the next one has often
/// begun. With faults it does not do what was asked, or does it twice, or does it and says that it does not know.
package final class SimulatedSharedLog: SharedLog {
    /// Of a thousand calls each.
    package struct Faults: Sendable {
        package var lostRequests = 0
        package var lostReplies = 0
        package var refusals = 0
        package var repeats = 0

        package init(lostRequests: Int = 0, lostReplies: Int = 0, refusals: Int = 0, repeats: Int = 0) {
            self.lostRequests = lostRequests
            self.lostReplies = lostReplies
            self.refusals = refusals
            self.repeats = repeats
        }
    }

    /// Which rule the log breaks, for the checker to notice.
    package enum Mutation: Sendable {
        /// The newest frame is gone when its writer has crashed.
        case forgetsNewestFrame
        /// Appends of older epochs are taken.
        case ignoresEpochs
        /// A frame that is there already is appended again, at the next position.
        case appendsRepeats
    }

    fileprivate struct State: Sendable {
        var random: SeededRandom
        var frames: [[UInt8]] = []
        var epoch: LogEpoch?
        var faults = Faults()
        var pending: [@Sendable () -> Void] = []
        /// What is on its way of processes that have ended.
        var late: [@Sendable () -> Void] = []
    }

    package let salt: [UInt8]
    package let frameBytesMax = 1_024
    private let mutation: Mutation?
    private let state: Mutex<State>

    package init(seed: UInt64, mutation: Mutation? = nil) {
        var random = SeededRandom(seed: seed)
        self.salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        self.mutation = mutation
        self.state = Mutex(State(random: random))
    }

    package var faults: Faults {
        get { self.state.withLock { $0.faults } }
        set { self.state.withLock { $0.faults = newValue } }
    }

    package var frameCount: Int { self.state.withLock { $0.frames.count } }

    /// Does one of the things that were asked for; whether there was one.
    package func deliver() -> Bool {
        let work = self.state.withLock { $0.next() }
        work?()
        return work != nil
    }

    /// Whether there is something on its way of a process that runs.
    package var isAsked: Bool { self.state.withLock { !$0.pending.isEmpty } }

    /// A node that used the log has crashed.
    package func nodeCrashed() {
        self.state.withLock { state in
            state.late += state.pending
            state.pending = []
            if self.mutation == .forgetsNewestFrame, state.frames.count > 2 { state.frames.removeLast() }
        }
    }

    package func append(
        _ frame: [UInt8],
        at position: LogPosition,
        in epoch: LogEpoch,
        _ reply: SharedLogReply<Void>
    ) {
        self.ask(reply) { state in
            if epoch != state.epoch, self.mutation != .ignoresEpochs { return .failure(.fenced) }
            if position.index <= UInt64(state.frames.count) {
                if state.frames[Int(position.index) - 1] != frame { return .failure(.taken) }
                if self.mutation == .appendsRepeats { state.frames.append(frame) }
                return .success(())
            }
            guard position.index == UInt64(state.frames.count) + 1 else { return .failure(.refused("a gap")) }
            state.frames.append(frame)
            return .success(())
        }
    }

    package func read(from position: LogPosition, bytes: Int, _ reply: SharedLogReply<[[UInt8]]>) {
        self.ask(reply) { state in
            let start = min(Int(position.index) - 1, state.frames.count)
            // A few at a time, as if they were large.
            return .success(Array(state.frames[start...].prefix(16)))
        }
    }

    package func head(_ reply: SharedLogReply<SharedLogHead>) {
        self.ask(reply) { .success($0.head) }
    }

    package func claim(after seen: SharedLogHead, _ reply: SharedLogReply<SharedLogHead?>) {
        self.ask(reply) { state in
            guard state.epoch == seen.epoch else { return .success(nil) }
            let number = (seen.epoch?.number ?? 0) + 1
            state.epoch = LogEpoch(number: number, fence: state.random.next())
            return .success(state.head)
        }
    }

    private func ask<Value: Sendable>(
        _ reply: SharedLogReply<Value>,
        _ body: @escaping @Sendable (inout State) -> Result<Value, SharedLogError>
    ) {
        self.state.withLock { state in
            let faults = state.faults
            func happens(_ rate: Int) -> Bool { rate > 0 && state.random.chance(rate, in: 1_000) }
            if happens(faults.refusals) { return state.pending.append { reply.post(.failure(.refused("busy"))) } }
            if happens(faults.lostRequests) { return state.pending.append { reply.post(.failure(.unknown("lost"))) } }
            let isReplyLost = happens(faults.lostReplies)
            state.pending.append {
                let result = self.state.withLock { body(&$0) }
                reply.post(isReplyLost ? .failure(.unknown("no answer")) : result)
            }
            // A request that comes a second time, perhaps much later.
            if happens(faults.repeats) { state.pending.append { _ = self.state.withLock { body(&$0) } } }
        }
    }
}

extension SimulatedSharedLog.State {
    /// What takes effect next.
    fileprivate mutating func next() -> (@Sendable () -> Void)? {
        if !self.late.isEmpty, self.pending.isEmpty || self.random.chance(1, in: 4) {
            return self.late.remove(at: .random(in: 0..<self.late.count, using: &self.random))
        }
        guard !self.pending.isEmpty else { return nil }
        return self.pending.remove(at: .random(in: 0..<self.pending.count, using: &self.random))
    }

    fileprivate var head: SharedLogHead {
        SharedLogHead(newest: LogPosition(UInt64(self.frames.count)), epoch: self.epoch)
    }
}

extension SimulatedSharedLog {
    /// Nil when the settings say that the log is in files.
    convenience init?(_ settings: EngineSimulation.Settings) {
        guard case .shared(let mutation) = settings.log else { return nil }
        self.init(seed: settings.seed, mutation: mutation)
        self.faults = Faults(lostRequests: 20, lostReplies: 20, refusals: 20, repeats: 50)
    }

    /// Until it is mended.
    func misbehave(_ random: inout SeededRandom) {
        let rate = Int.random(in: 100...600, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: self.faults = Faults(lostRequests: rate)
        case 1: self.faults = Faults(lostReplies: rate)
        case 2: self.faults = Faults(refusals: rate)
        default: self.faults = Faults(lostRequests: rate / 4, lostReplies: rate / 4, refusals: rate / 4, repeats: rate)
        }
    }
}
