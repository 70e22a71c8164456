import BrasaPlatform
import NIOConcurrencyHelpers

/// The thread that verifies: a signature takes so long that made-up ones by the thousand would hold up an event loop. They
/// take one thread at most, and each address has its turn on it.
final class VerificationQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct Job: Sendable {
        let work: Work
        let refuse: Work
    }

    static let jobsMax = 1_024
    static let jobsPerAddressMax = 64

    private let jobs: NIOLockedValueBox<FairQueue<PeerAddress, Job>>
    private let worker = Worker(name: "brasa-tokens", ending: .leaving)

    init() {
        self.jobs = NIOLockedValueBox(
            FairQueue(countMax: Self.jobsMax, countPerKeyMax: Self.jobsPerAddressMax)
        )
    }

    func start() {
        let jobs = self.jobs
        self.worker.start {
            guard let job = jobs.withLockedValue({ $0.popFirst() }) else { return false }
            job.work()
            return true
        }
    }

    /// When no connection is left.
    func stop() { self.worker.stop() }

    /// Does the one or the other once, `refuse` at once or later: when too many wait already, or others need the place more.
    /// - Parameter isBounded: by what one address may have; not what has been let in before and comes back.
    func add(_ address: PeerAddress, isBounded: Bool = true, _ work: @escaping Work, otherwise refuse: @escaping Work) {
        let job = Job(work: work, refuse: refuse)
        switch self.jobs.withLockedValue({ $0.append(job, for: address, isBounded: isBounded) }) {
        case .free: self.worker.wake()
        case .of(let other):
            self.worker.wake()
            other.refuse()
        case .none: refuse()
        }
    }
}
