import BrasaIdentity
import BrasaPlatform
import BrasaService
import BrasaTokens
import BrasaTreeJudging
import NIOCore
import Synchronization

/// Decides who asks, for the connections of all event loops (docs/identity.md).
final class TokenDesk: Sendable {
    enum Outcome: Sendable {
        case admitted(VerifiedToken, Admission)
        case refused
        case busy
    }

    let verifier: TokenVerifier
    let refusals: RefusalLog
    private let clock: Clock
    private let queue = VerificationQueue()
    /// For a server with `--emulator` on loopback.
    let isEmulator: Bool
    let shares: CallerShares
    private let policy: OpenPolicy
    private let isClosed = Atomic<Bool>(false)
    /// They say what those may do who show no token.
    private let rules: RuleBook
    private let treeRules: TreeRuleBook

    init(
        _ verifier: TokenVerifier,
        policy: OpenPolicy,
        isEmulator: Bool,
        rules: RuleBook = RuleBook(),
        treeRules: TreeRuleBook = TreeRuleBook(),
        clock: Clock = .system,
        shares: CallerShares = CallerShares(CallerBounds()),
        refusals: RefusalLog
    ) {
        self.shares = shares
        self.verifier = verifier
        self.policy = policy
        self.isEmulator = isEmulator
        self.rules = rules
        self.treeRules = treeRules
        self.clock = clock
        self.refusals = refusals
        self.queue.start()
    }

    /// Does something on the thread that verifies, since it takes too long for an event loop; in order for one address.
    /// - Parameter refuse: instead, where too many wait.
    func aside(
        for address: PeerAddress,
        _ work: @escaping @Sendable () -> Void,
        otherwise refuse: @escaping @Sendable () -> Void
    ) {
        self.queue.add(address, work, otherwise: refuse)
    }

    /// When no connection is left.
    func stop() { self.queue.stop() }

    var now: WallTime { self.clock.wall() }

    /// Nothing checks who calls: everybody is the owner.
    var isOpen: Bool { !self.rules.isInUse && !self.treeRules.isInUse && self.isOpenWithoutRules }

    /// An emulator that would be open without rules: what tools ask beside the protocol, they ask without a token.
    var isOpenToTools: Bool { self.isEmulator && self.isOpenWithoutRules }

    private var isOpenWithoutRules: Bool {
        self.policy.isOpen(hasKeys: self.verifier.hasKeyList) && !self.isClosed.load(ordering: .relaxed)
    }

    /// From now on the server asks everybody, also when what named callers is gone again.
    func close() { self.isClosed.store(true, ordering: .relaxed) }

    // MARK: Tokens

    /// Calls `done` once, at once or on another thread.
    func verify(_ authorization: [UInt8], from visitor: Visitor, _ done: @escaping @Sendable (Outcome) -> Void) {
        self.enqueue(authorization, visitor, isBounded: true, done)
    }

    /// - Parameter isBounded: not when it has waited for keys: it had a place before.
    private func enqueue(
        _ authorization: [UInt8],
        _ visitor: Visitor,
        isBounded: Bool,
        _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        self.queue.add(visitor.address, isBounded: isBounded) {
            self.decide(authorization, visitor, done)
        } otherwise: {
            self.refusals.noteBusy(visitor)
            done(.busy)
        }
    }

    private func decide(
        _ authorization: [UInt8],
        _ visitor: Visitor,
        _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        switch self.verifier.verdict(on: authorization, at: self.now) {
        case .verified(let token):
            done(.admitted(token, self.admission(token, of: visitor)))
        case .refused(let refusal):
            self.refusals.note(refusal, visitor)
            done(.refused)
        case .waiting(let issuer):
            let waits = self.verifier.whenKeysCame(issuer) {
                self.enqueue(authorization, visitor, isBounded: false, done)
            }
            guard !waits else { return }
            self.refusals.noteBusy(visitor)
            done(.busy)
        }
    }

    func share(of key: CallerShares.Key) -> CallerShare {
        self.shares.share(of: key, at: NIODeadline.now().uptimeNanoseconds)
    }

    private func admission(_ token: VerifiedToken, of visitor: Visitor) -> Admission {
        let (verifier, clock) = (self.verifier, self.clock)
        let share = self.share(of: token.bearer.shareKey ?? .address(visitor.address))
        return Admission(token.bearer.caller, share: share, isAmbient: token.isUnsigned) {
            verifier.refusal(of: token, at: clock.wall()) == nil
        }
    }

    /// Answers a request at `token_uri`. Calls `done` once, at once or on another thread; nil: too many wait already.
    func exchange(_ body: [UInt8], from visitor: Visitor, _ done: @escaping @Sendable (TokenResponse?) -> Void) {
        self.queue.add(visitor.address) {
            let response = self.verifier.exchange(body, at: self.now)
            if let refusal = response.refusal { self.refusals.note(refusal, visitor) }
            done(response)
        } otherwise: {
            self.refusals.noteBusy(visitor)
            done(nil)
        }
    }
}

extension VerifiedToken.Bearer {
    /// Nil: of whoever is at the address.
    fileprivate var shareKey: CallerShares.Key? {
        switch self {
        case .owner: return nil
        case .administrator(let key): return .key(Array(key.id.utf8))
        case .user(let user):
            guard case .text(let issuer) = user.claims["iss"] else { return .user([], Array(user.id.utf8)) }
            return .user(Array(issuer.utf8), Array(user.id.utf8))
        }
    }

    fileprivate var caller: Caller {
        switch self {
        case .owner: .administrator
        case .user(let user): .user(user)
        case .administrator(let key) where key.role == .administrator && key.databases.isEmpty: .administrator
        case .administrator(let key):
            .restricted(Restriction(isReadOnly: key.role == .readOnly, databases: key.databases))
        }
    }
}
