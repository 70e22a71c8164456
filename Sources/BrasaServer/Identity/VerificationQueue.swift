import BrasaPlatform
import NIOConcurrencyHelpers

/// The thread that verifies: a signature takes so long that made-up ones by the thousand would hold up an event loop. They
/// take one thread at most, and each address has its turn on it.
final class VerificationQueue: Sendable {
    typealias Job = @Sendable () -> Void

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
            job()
            return true
        }
    }

    /// When no connection is left.
    func stop() { self.worker.stop() }

    /// False, and the job is not done, when too many wait already.
    func add(_ address: PeerAddress, _ job: @escaping Job) -> Bool {
        guard self.jobs.withLockedValue({ $0.append(job, for: address) }) else { return false }
        self.worker.wake()
        return true
    }
}
